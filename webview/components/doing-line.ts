import { css, html, nothing, type TemplateResult } from 'lit';
import type { SentencePart } from '../words.ts';

/** A sentence, and for how long. */
export const lineStyles = css`
  .line {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    min-inline-size: 0;
    overflow-x: clip;
    --gap: 13px;
  }
  .doing {
    flex: 0 1 auto;
    min-inline-size: 0;
  }
  .doing:not(:last-child) {
    padding-inline-end: var(--gap);
  }
  /* Its dot lies in the gap after the words; at the beginning of a line of its own there is no gap, and the dot is clipped. */
  .took {
    flex: none;
    min-inline-size: calc(var(--gap) + 6ch);
    margin-inline-start: calc(-1 * var(--gap));
    color: var(--tone-soft);
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
    unicode-bidi: plaintext;
  }
  .took::before {
    content: '·';
    display: inline-block;
    inline-size: var(--gap);
    text-align: center;
  }
  .took:empty {
    visibility: hidden;
  }
  @container (max-width: 189px) {
    .doing {
      flex-basis: 100%;
    }
  }
`;

export function renderWords(words: readonly SentencePart[]): readonly (TemplateResult | string)[] {
  return words.map((part) => (part.place === 'target' ? html`<span class="target">${part.text}</span>` : part.text));
}

/** A name never tells seconds, so neither does this to a screen reader. Its place is there before it is told. */
export function renderTook(took: string, timed: boolean): TemplateResult | typeof nothing {
  return timed || took !== '' ? html`<span class="took" aria-hidden="true">${took}</span>` : nothing;
}
