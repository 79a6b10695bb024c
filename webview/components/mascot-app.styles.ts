import { css } from 'lit';

export const appStyles = css`
  :host {
    display: block;
    container-type: inline-size;
    min-block-size: 100%;
    box-sizing: border-box;
    color: var(--tone-text);
    line-height: 1.4;
  }
  .page {
    display: flex;
    flex-direction: column;
    gap: 8px;
    padding: 8px;
    overflow-x: clip;
    outline: none;
  }
  .sessions {
    position: relative;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 8px;
    align-items: start;
  }
  .session {
    min-inline-size: 0;
    box-sizing: border-box;
    padding: 8px 6px 8px;
    border-radius: 10px;
    border: 1px solid var(--tone-edge);
    background: var(--tone-surface);
  }
  .session:focus-visible {
    outline: 1px solid var(--vscode-focusBorder);
    outline-offset: -1px;
  }
  .session.gone,
  .session.seen {
    border-style: dashed;
  }
  .session.permission,
  .session.question {
    border-color: var(--vscode-contrastBorder, color-mix(in srgb, var(--need) 50%, transparent));
    box-shadow: inset 3px 0 0 var(--need);
  }
  .session.permission:dir(rtl),
  .session.question:dir(rtl) {
    box-shadow: inset -3px 0 0 var(--need);
  }
  .session.permission {
    --need: var(--tone-permission);
  }
  .session.question {
    --need: var(--tone-question);
  }
  session-details {
    grid-column: 1 / -1;
  }
  /* Whoever is scrolled to is not under the line at the edge. */
  mascot-card,
  .head,
  session-details {
    scroll-margin-block: 6px 36px;
  }
  .agents {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 2px;
  }

  /* The tree's lines: down from the middle of the parent's picture, and across to each child. */
  mascot-card {
    --step: 46px;
  }
  mascot-card.child {
    margin-inline-start: calc(var(--step) * var(--depth, 1));
  }
  mascot-card.depth-2 {
    --depth: 2;
  }
  mascot-card.depth-3 {
    --depth: 3;
  }
  mascot-card.child::before,
  mascot-card.child:not(.last)::after {
    content: '';
    position: absolute;
    inset-inline-start: -4px;
    border: 0 solid var(--vscode-tree-indentGuidesStroke, var(--tone-edge));
    border-inline-start-width: 1px;
    pointer-events: none;
  }
  mascot-card.child::before {
    inset-block: -2px calc(100% - 30px);
    inline-size: 9px;
    border-block-end-width: 1px;
    border-end-start-radius: 7px;
  }
  mascot-card.child:not(.last)::after {
    inset-block: 20px -2px;
  }

  .session.brief {
    padding-block: 6px;
  }

  /* Many agents: one line each, the session's words in one line. */
  .crowd .session {
    padding-block: 6px;
    content-visibility: auto;
    contain-intrinsic-size: auto 160px;
  }
  .crowd mascot-card {
    --step: 20px;
  }
  .crowd mascot-card.child::before {
    inset-block-end: calc(100% - 20px);
    inline-size: 6px;
  }
  @container (max-width: 329px) {
    mascot-card {
      --step: 38px;
    }
  }
  @container (min-width: 400px) {
    /* Where nobody is nested, side by side; else the tree stays one. */
    .crowd .agents:not(.nested) {
      grid-template-columns: repeat(auto-fill, minmax(180px, 1fr));
    }
    .crowd .agents:not(.nested) mascot-card {
      --step: 0px;
    }
    .crowd .agents:not(.nested) mascot-card.top {
      grid-column: 1 / -1;
    }
    .crowd .agents:not(.nested) mascot-card.child::before,
    .crowd .agents:not(.nested) mascot-card.child::after {
      display: none;
    }
  }
  @container (max-width: 189px) {
    mascot-card {
      --step: 14px;
      --rails: none;
      --depth: 1;
    }
  }
  .hint,
  .rest p {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 8px;
    margin: 0;
  }
  .hint {
    padding-block: 5px;
    padding-inline: 10px 6px;
    border: 1px solid var(--tone-edge);
    border-radius: 8px;
    background: var(--tone-surface);
  }
  .hint p {
    flex: 1 1 14ch;
    min-inline-size: 0;
    margin: 0;
    overflow-wrap: anywhere;
    text-wrap: pretty;
  }
  /* Whoever waits out of view is told at the edge. */
  .waiting {
    position: sticky;
    inset-block-end: 6px;
    z-index: 2;
    justify-self: center;
    align-self: center;
    color: var(--tone-text);
    background: color-mix(in srgb, var(--tone-permission) 18%, var(--tone-ground));
    border-color: var(--tone-permission);
    padding-block: 2px;
  }
  .waiting:hover {
    background: color-mix(in srgb, var(--tone-permission) 30%, var(--tone-ground));
  }
  .rest .waiting {
    position: static;
  }
  .rest {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 2px 14px;
    padding-block: 2px 6px;
    color: var(--tone-soft);
    font-size: 0.95em;
    font-variant-numeric: tabular-nums;
  }
  .nobody {
    display: grid;
    justify-items: center;
    padding: 28px 14px 4px;
    text-align: center;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  .nobody mascot-avatar {
    --avatar-size: 84px;
  }
  .nobody h2 {
    margin: 6px 0 4px;
    font-size: 1.15em;
    white-space: normal;
  }
  .nobody p {
    margin: 0;
    color: var(--tone-soft);
  }
  /* Moved by its own animation alone, from the corner at which the measures begin. */
  .letter {
    position: absolute;
    top: -6px;
    left: -8px;
    z-index: 1;
    inline-size: 16px;
    block-size: 12px;
    border-radius: 2px;
    border: 1px solid var(--tone-text);
    box-sizing: border-box;
    background:
      linear-gradient(32deg, transparent 46%, var(--tone-text) 47% 53%, transparent 54%) 0 0 / 50% 60% no-repeat,
      linear-gradient(-32deg, transparent 46%, var(--tone-text) 47% 53%, transparent 54%) 100% 0 / 50% 60% no-repeat,
      var(--tone-surface);
    pointer-events: none;
    will-change: transform, opacity;
  }
  .loading {
    padding: 28px 14px;
    text-align: center;
    color: var(--tone-soft);
  }
  .spoken {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;
