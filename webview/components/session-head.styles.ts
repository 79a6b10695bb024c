import { css } from 'lit';

export const meterStyles = css`
  .meter {
    flex: none;
    inline-size: 44px;
    block-size: 6px;
    border-radius: 3px;
    border: 1px solid var(--vscode-contrastBorder, transparent);
    overflow: hidden;
  }
  .meter .all {
    fill: color-mix(in srgb, var(--tone-text) 16%, transparent);
  }
  .meter .used {
    fill: var(--tone-busy);
  }
  .meter.high .used {
    fill: var(--tone-permission);
  }
`;

export const headStyles = css`
  .head {
    position: relative;
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
    padding-inline-end: 28px;
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
  .head svg:not(.meter) {
    fill: none;
    stroke: currentColor;
    stroke-width: 1.4;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .worktree svg {
    inline-size: 11px;
    block-size: 11px;
    margin-inline-end: 3px;
    vertical-align: -1px;
  }
  .surface {
    flex: none;
    color: var(--tone-soft);
  }
  .surface svg {
    inline-size: 13px;
    block-size: 13px;
    vertical-align: -2px;
  }
  .more {
    position: absolute;
    inset-block-start: -2px;
    inset-inline-end: 6px;
    padding: 3px;
    inline-size: 24px;
    block-size: 24px;
    border: 0;
    border-radius: 5px;
    background: transparent;
    color: var(--tone-soft);
    cursor: pointer;
  }
  .more:hover {
    background: var(--vscode-toolbar-hoverBackground, color-mix(in srgb, var(--tone-text) 10%, transparent));
    outline: 1px dashed var(--vscode-toolbar-hoverOutline, transparent);
  }
  .more svg {
    inline-size: 16px;
    block-size: 16px;
  }
  .more[aria-expanded='true'] svg {
    transform: rotate(180deg);
  }
  .title,
  .work,
  .tasks,
  .facts {
    margin: 0;
    color: var(--tone-soft);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: plaintext;
    text-align: -webkit-match-parent;
  }
  .tasks,
  .facts {
    font-size: 0.92em;
  }
  .work svg {
    inline-size: 12px;
    block-size: 12px;
    margin-inline-end: 4px;
    vertical-align: -2px;
  }
  .tasks span {
    color: var(--tone-text);
    unicode-bidi: plaintext;
  }
  .facts {
    display: flex;
    align-items: center;
    gap: 4px 6px;
  }
  .facts span {
    flex: none;
    white-space: nowrap;
  }
  .facts .model {
    flex: 0 1 auto;
    min-inline-size: 4ch;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .phase {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 3px var(--gap);
    min-inline-size: 0;
    margin-block-start: 4px;
    overflow-x: clip;
    --gap: 9px;
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
    unicode-bidi: plaintext;
  }
  .since {
    flex: none;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
    unicode-bidi: plaintext;
  }
  /* As in a mascot's line: no dot at the beginning of a line. */
  .since:not(.idle) {
    margin-inline-start: calc(-1 * var(--gap));
  }
  .since:not(.idle)::before {
    content: '·';
    display: inline-block;
    inline-size: var(--gap);
    text-align: center;
  }
  .notes {
    display: flex;
    flex-wrap: wrap;
    gap: 3px 5px;
    margin-block-start: 3px;
  }
  .note {
    padding: 0 6px;
    border: 1px dashed color-mix(in srgb, var(--tone-text) 35%, transparent);
    border-radius: 8px;
    color: var(--tone-soft);
    font-size: 0.88em;
  }

  :is(.crowd, .brief) .head {
    flex-flow: row wrap;
    align-items: center;
    gap: 2px 8px;
    min-block-size: 20px;
    padding-inline-end: 34px;
  }
  /* Before a name is cut, what the session needs goes to the next line. */
  :is(.crowd, .brief) .project {
    flex: 1 1 auto;
    padding: 0;
  }
  :is(.crowd, .brief) .phase {
    flex: 0 1 auto;
    margin: 0;
  }
  :is(.crowd, .brief) .notes {
    flex: none;
    margin: 0;
  }
  :is(.crowd, .brief) .title:not(.twin),
  :is(.crowd, .brief) .work,
  :is(.crowd, .brief) .cause {
    display: none;
  }
  :is(.crowd, .brief) .twin {
    order: 1;
    flex: 1 0 100%;
    min-inline-size: 0;
    font-size: 0.92em;
  }
  @container (max-width: 329px) {
    .facts {
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
  @container (max-width: 279px) {
    :is(.crowd, .brief) .head {
      padding-inline-end: 6px;
    }
    :is(.crowd, .brief) .project {
      flex-basis: 100%;
      padding-inline-end: 28px;
    }
  }
  @container (max-width: 189px) {
    .project {
      flex-wrap: wrap;
      row-gap: 0;
    }
    .surface {
      display: none;
    }
  }
`;
