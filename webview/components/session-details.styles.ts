import { css } from 'lit';

export const detailsStyles = css`
  :host {
    display: block;
    margin: 4px 0;
    padding: 8px 10px 9px;
    border: 1px solid var(--tone-edge);
    border-radius: 8px;
    background: var(--tone-ground);
    overflow-wrap: anywhere;
  }
  p {
    margin: 0;
  }
  .face {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    align-items: center;
    gap: 4px 12px;
    margin-block-end: 7px;
  }
  .face mascot-avatar {
    --avatar-size: 96px;
  }
  h3 {
    margin: 0;
    font-size: 1.2em;
    font-weight: 600;
  }
  .kind,
  .why span,
  .offer,
  .quiet,
  .counts,
  .detail,
  time,
  .change {
    color: var(--tone-soft);
  }
  .target,
  .path,
  .asked code {
    unicode-bidi: plaintext;
  }
  .doing,
  .job,
  .asked,
  .kind,
  .counts,
  .why,
  time {
    unicode-bidi: plaintext;
    text-align: -webkit-match-parent;
  }
  .asked {
    margin-block-start: 3px;
    padding-inline-start: 8px;
    border-inline-start: 2px solid var(--tone-permission);
  }
  .asked.question {
    border-color: var(--tone-question);
  }
  .why,
  time {
    font-variant-numeric: tabular-nums;
  }
  code {
    font-family: var(--vscode-editor-font-family, monospace);
    font-size: 0.95em;
    unicode-bidi: plaintext;
  }
  .offer {
    margin-block: 6px;
    text-wrap: pretty;
  }
  dl {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 2px 12px;
    margin: 9px 0 0;
  }
  dt {
    color: var(--tone-soft);
  }
  dd {
    margin: 0;
    unicode-bidi: plaintext;
    text-align: -webkit-match-parent;
  }
  .context {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 8px;
  }
  .counts {
    margin-block-start: 2px;
  }
  h4 {
    margin: 10px 0 3px;
    font-size: 1em;
    font-weight: 600;
  }
  ul,
  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  li {
    display: flex;
    align-items: baseline;
    gap: 6px;
  }
  .jobs li {
    unicode-bidi: plaintext;
  }
  .icon,
  .jobs svg {
    flex: none;
    inline-size: 14px;
    block-size: 14px;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.4;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .jobs svg {
    inline-size: 11px;
    block-size: 11px;
    align-self: center;
    stroke: var(--tone-soft);
    stroke-width: 2;
  }
  li.in_progress {
    font-weight: 600;
  }
  li.completed span {
    color: var(--tone-soft);
  }
  .jobs li.failed svg {
    stroke: var(--tone-failed);
  }

  /* A step hangs on a line that leads from the newest down to the oldest. */
  .step {
    position: relative;
    align-items: start;
    padding-block: 2px;
  }
  .step .icon {
    margin-block-start: 2px;
    color: var(--tone-soft);
  }
  .step:not(:last-child)::after {
    content: '';
    position: absolute;
    inset-block: 21px -1px;
    inset-inline-start: 6.5px;
    inline-size: 1px;
    background: var(--vscode-tree-indentGuidesStroke, var(--tone-edge));
  }
  .tool_failed .icon,
  .turn_failed .icon {
    color: var(--tone-failed);
  }
  .waits .icon {
    color: var(--tone-permission);
  }
  .turn_ended .icon,
  .answered .icon {
    color: var(--tone-your-move);
  }
  .told {
    flex: 1 1 0;
    min-inline-size: 0;
  }
  .did,
  .detail {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    line-clamp: 2;
    overflow: hidden;
    unicode-bidi: plaintext;
    text-align: -webkit-match-parent;
  }
  time {
    flex: none;
    font-size: 0.92em;
    line-height: 1.5;
  }
  .file .icon {
    align-self: center;
    color: var(--tone-soft);
  }
  .file.written .icon {
    color: var(--tone-busy);
  }
  .path {
    flex: 1 1 0;
    min-inline-size: 0;
  }
  .change {
    flex: none;
    font-size: 0.92em;
  }
  .more {
    margin-inline-start: 14px;
  }

  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 5px;
    margin-block-start: 9px;
  }
  .actions button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-block-size: 26px;
    padding: 2px 9px;
    line-height: 1.3;
  }
  .actions .second {
    color: var(--vscode-button-secondaryForeground, var(--tone-text));
    background: var(--vscode-button-secondaryBackground, transparent);
    border-color: var(--vscode-button-secondaryBorder, var(--vscode-contrastBorder, transparent));
  }
  .actions .second:hover {
    background: var(--vscode-button-secondaryHoverBackground, var(--vscode-button-secondaryBackground, transparent));
  }
  .actions [aria-pressed='true'] {
    border-color: var(--vscode-focusBorder, var(--tone-text));
  }
  .actions [aria-pressed='true'] path {
    fill: currentColor;
  }
  @container (max-width: 399px) {
    .actions .primary {
      flex: 1 0 100%;
    }
    .actions .second {
      inline-size: 30px;
      padding: 2px;
    }
    .actions .second span {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
      white-space: nowrap;
    }
  }
  @container (max-width: 279px) {
    .face mascot-avatar {
      --avatar-size: 80px;
    }
  }
  @container (max-width: 229px) {
    .face {
      grid-template-columns: minmax(0, 1fr);
    }
    .face mascot-avatar {
      --avatar-size: 96px;
    }
  }
  @container (max-width: 189px) {
    :host {
      margin-inline: 0;
      padding-inline: 6px;
    }
    dl {
      grid-template-columns: minmax(0, 1fr);
    }
    .step,
    .file {
      flex-wrap: wrap;
    }
    .step .told,
    .file .path {
      flex-basis: calc(100% - 20px);
    }
    .step time,
    .file .change {
      margin-inline-start: 20px;
    }
    .actions .primary {
      padding-inline: 3px;
    }
    .actions .primary .icon {
      display: none;
    }
  }
`;
