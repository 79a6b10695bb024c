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
  }
  .sessions {
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
  .session.permission,
  .session.question {
    border-color: var(--vscode-contrastBorder, color-mix(in srgb, var(--need) 50%, transparent));
    box-shadow: inset 3px 0 0 var(--need);
  }
  .session.permission {
    --need: var(--tone-permission);
  }
  .session.question {
    --need: var(--tone-question);
  }
  header {
    display: flex;
    flex-direction: column;
    gap: 1px;
    padding-inline: 6px;
    margin-block-end: 4px;
  }
  .project {
    display: flex;
    align-items: baseline;
    gap: 6px;
    min-inline-size: 0;
  }
  h2 {
    margin: 0;
    flex: 0 1 auto;
    min-inline-size: 0;
    font-size: 1em;
    font-weight: 600;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .worktree {
    flex: 0 1 auto;
    min-inline-size: 3ch;
    color: var(--tone-soft);
    font-size: 0.92em;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .worktree svg {
    inline-size: 11px;
    block-size: 11px;
    margin-inline-end: 3px;
    vertical-align: -1px;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.6;
    stroke-linecap: round;
  }
  .title {
    margin: 0;
    color: var(--tone-soft);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: plaintext;
  }
  .phase {
    display: flex;
    align-items: center;
    gap: 3px 6px;
    min-inline-size: 0;
    margin-block-start: 4px;
    color: var(--tone-soft);
    font-size: 0.95em;
  }
  .cause {
    flex: 0 1 auto;
    min-inline-size: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .cause code {
    font-family: var(--vscode-editor-font-family, monospace);
    font-size: 0.95em;
    color: var(--tone-text);
    unicode-bidi: isolate;
  }
  .since {
    flex: none;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .since::before {
    content: '·';
    margin-inline-end: 5px;
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

  /* Many agents: one line each, the session's words in one line. */
  .crowd .session {
    padding-block: 6px;
    content-visibility: auto;
    contain-intrinsic-size: auto 160px;
  }
  .crowd header {
    flex-direction: row;
    align-items: center;
    gap: 8px;
  }
  .crowd .project {
    flex: 1 1 0;
  }
  .crowd .phase {
    flex: 0 0 auto;
    margin: 0;
  }
  .crowd .title,
  .crowd .cause {
    display: none;
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
    .sessions:not(.crowd) .phase:has(.cause:not(.told)) {
      flex-wrap: wrap;
    }
    .cause {
      order: 1;
      flex: 1 0 100%;
    }
    .cause.told {
      display: none;
    }
  }
  @container (min-width: 400px) {
    .crowd .agents {
      grid-template-columns: repeat(auto-fill, minmax(180px, 1fr));
    }
    .crowd mascot-card {
      --step: 0px;
    }
    .crowd mascot-card.child::before,
    .crowd mascot-card.child::after {
      display: none;
    }
  }
  @container (max-width: 279px) {
    .crowd header {
      flex-wrap: wrap;
      gap: 2px 8px;
    }
    .crowd .project {
      flex-basis: 60px;
    }
  }
  @container (max-width: 189px) {
    .phase {
      flex-wrap: wrap;
    }
    mascot-card {
      --step: 14px;
      --depth: 1;
    }
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
