import { css } from 'lit';

export const cardStyles = css`
  :host {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    column-gap: 10px;
    align-items: start;
    position: relative;
    box-sizing: border-box;
    min-inline-size: 0;
    padding: 4px 6px;
    border-radius: 8px;
    outline: none;
    cursor: default;
    --avatar-size: 72px;
  }
  :host([size='medium']) {
    --avatar-size: 52px;
    column-gap: 8px;
  }
  :host([size='small']) {
    --avatar-size: 38px;
    column-gap: 8px;
    padding: 2px 6px;
    align-items: center;
  }
  :host(:hover) {
    background: color-mix(in srgb, var(--tone-text) 4%, transparent);
  }
  :host([aria-current='true']) {
    box-shadow: inset 0 0 0 1px
      var(--vscode-contrastActiveBorder, color-mix(in srgb, var(--tone-text) 22%, transparent));
  }
  :host(:focus-visible) {
    outline: 1px solid var(--vscode-focusBorder);
    outline-offset: -1px;
  }
  mascot-avatar {
    grid-row: span 2;
  }
  .rail {
    display: var(--rails, block);
    position: absolute;
    inset-block: -2px;
    inset-inline-start: calc(-4px - var(--step));
    inline-size: 1px;
    background: var(--vscode-tree-indentGuidesStroke, var(--tone-edge));
    pointer-events: none;
  }
  .rail.steps-2 {
    inset-inline-start: calc(-4px - 2 * var(--step));
  }
  .words {
    min-inline-size: 0;
    padding-block-start: 4px;
  }
  :host([size='medium']) .words {
    padding-block-start: 6px;
  }
  :host([size='small']) .words {
    padding-block-start: 0;
  }
  .who {
    display: flex;
    align-items: baseline;
    gap: 6px;
    min-inline-size: 0;
  }
  .name {
    flex: 0 1 auto;
    min-inline-size: 0;
    font-weight: 600;
    color: var(--tone-text);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .kind {
    /* So much more than the name that nothing is left for it to give. */
    flex: 0 99999 auto;
    min-inline-size: 0;
    color: var(--tone-soft);
    font-size: 0.88em;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .doing,
  .said {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: var(--lines);
    line-clamp: var(--lines);
    overflow: hidden;
    overflow-wrap: anywhere;
    unicode-bidi: plaintext;
  }
  .writes,
  .pinned {
    flex: none;
    display: inline-flex;
    align-items: center;
    gap: 3px;
    max-inline-size: 100%;
    color: var(--tone-soft);
  }
  .icon {
    flex: none;
    inline-size: 12px;
    block-size: 12px;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.5;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .pinned path {
    fill: currentColor;
  }
  .pinned {
    align-self: center;
  }
  .veiled {
    flex: none;
    padding-inline: 5px;
    border: 1px dashed var(--tone-soft);
    border-radius: 7px;
    color: var(--tone-soft);
    font-size: 0.85em;
  }
  /* Only the picture fades: what is written has to stay legible. */
  :host([veiled]) mascot-avatar {
    opacity: 0.45;
  }
  .doing {
    --lines: 2;
    color: var(--tone-soft);
    line-height: 1.4;
    text-align: -webkit-match-parent;
  }
  .job {
    color: var(--tone-text);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: plaintext;
    text-align: -webkit-match-parent;
  }
  .target {
    color: var(--tone-text);
    unicode-bidi: plaintext;
  }
  :host([size='small']) .line {
    flex-wrap: nowrap;
  }
  :host([size='small']) .took {
    min-inline-size: 0;
  }
  :host([size='small']) .doing:not(.waits) {
    display: block;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .bubble {
    position: relative;
    grid-column: 2;
    justify-self: start;
    max-inline-size: 100%;
    box-sizing: border-box;
    margin-block: 5px 3px;
    padding: 5px 10px 6px;
    border-radius: 11px;
    border-start-start-radius: 3px;
    border: 1px solid var(--bubble-edge);
    background: var(--bubble);
    color: var(--tone-text);
    line-height: 1.42;
    --bubble: var(--tone-raised);
    --bubble-edge: var(--vscode-contrastBorder, var(--tone-raised));
  }
  /* The corner that points at the one who speaks. */
  .bubble::before {
    content: '';
    position: absolute;
    inset-block-start: -1px;
    inset-inline-start: -7px;
    inline-size: 7px;
    block-size: 9px;
    background: var(--bubble-edge);
    clip-path: polygon(0 0, 100% 0, 100% 100%);
  }
  .bubble:dir(rtl)::before {
    clip-path: polygon(0 0, 100% 0, 0 100%);
  }
  .bubble.asks {
    --bubble: color-mix(in srgb, var(--ask-tone) 12%, var(--tone-surface));
    --bubble-edge: color-mix(in srgb, var(--ask-tone) 60%, var(--tone-surface));
  }
  .permission {
    --ask-tone: var(--tone-permission);
  }
  .question {
    --ask-tone: var(--tone-question);
  }
  .said {
    --lines: 3;
  }
  .bubble code {
    margin-block-start: 2px;
    font-family: var(--vscode-editor-font-family, monospace);
    font-size: 0.92em;
    color: var(--tone-text);
  }

  /* A narrow bar: what is said gets the whole width, under the one who says it. */
  @container (max-width: 329px) {
    :host([size='large']) {
      --avatar-size: 60px;
    }
    :host([size='medium']) {
      --avatar-size: 46px;
    }
    :host(:not([size='small'])) {
      align-items: center;
    }
    mascot-avatar {
      grid-row: auto;
    }
    :host(:not([size='small'])) .words {
      padding-block-start: 0;
    }
    .bubble {
      grid-column: 1 / -1;
      margin-block: 8px 3px;
      border-start-start-radius: 11px;
    }
    .bubble::before,
    .bubble:dir(rtl)::before {
      inset-block-start: -7px;
      inset-inline-start: calc(var(--avatar-size) / 2 - 4px);
      inline-size: 11px;
      block-size: 7px;
      clip-path: polygon(0 0, 100% 100%, 0 100%);
    }
  }
  /* A narrow bar at a large zoom: the words under the picture. */
  @container (max-width: 189px) {
    :host([size='small']) .line {
      flex-wrap: wrap;
    }
    :host(:not([size='small'])) {
      grid-template-columns: minmax(0, 1fr);
    }
    .who {
      flex-wrap: wrap;
      column-gap: 6px;
      row-gap: 0;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    :host([lively][arriving]) {
      animation: appear 0.28s ease-out 1;
    }
    :host([lively][departing]) {
      animation: depart 0.5s ease-in 1 both;
      pointer-events: none;
    }
    :host(:dir(rtl)) {
      --away: -24px;
    }
  }
  @keyframes appear {
    from {
      opacity: 0;
      transform: translateY(6px);
    }
  }
  @keyframes depart {
    to {
      opacity: 0;
      transform: translateX(var(--away, 24px));
    }
  }
`;
