import type { Letter } from '../letters.ts';
import type { MascotCard } from './mascot-card.ts';

const FLIGHT_MS = 900;

/** Carries letters from the one who wrote to the one who is to read: once each, and only while somebody can see it. */
export class Post {
  private waiting: readonly Letter[] = [];

  take(letters: readonly Letter[]): void {
    if (letters.length > 0) this.waiting = [...this.waiting, ...letters];
  }

  /** After a drawing; a letter whose writer or reader is not drawn is lost. */
  deliver(cards: readonly MascotCard[]): void {
    if (this.waiting.length === 0) return;
    const letters = this.waiting;
    this.waiting = [];
    for (const { from, to } of letters) {
      const writer = cards.find(({ dataset }) => dataset['agentId'] === from);
      const reader = cards.find(({ dataset }) => dataset['agentId'] === to);
      if (writer && reader) fly(writer, reader);
    }
  }
}

/** Both places are asked for once; from there on only the compositor is at work. */
function fly(writer: MascotCard, reader: MascotCard): void {
  const start = writer.pictureBox();
  const end = reader.pictureBox();
  const list = writer.closest('.sessions');
  if (!start || !end || !list) return;
  const base = list.getBoundingClientRect();
  const letter = list.appendChild(document.createElement('i'));
  letter.className = 'letter';
  letter.setAttribute('aria-hidden', 'true');
  const at = (box: DOMRect, lift: number, scale: number) =>
    `translate(${box.x + box.width / 2 - base.x}px, ${box.y + box.height / 2 - base.y - lift}px) scale(${scale})`;
  const flight = letter.animate(
    [
      { transform: at(start, 0, 0.6), opacity: 0 },
      { transform: at(start, 14, 1), opacity: 1, offset: 0.2 },
      { transform: at(end, 14, 1), opacity: 1, offset: 0.8 },
      { transform: at(end, 0, 0.6), opacity: 0 },
    ],
    { duration: FLIGHT_MS, easing: 'ease-in-out', fill: 'both' },
  );
  const gone = () => letter.remove();
  void flight.finished.then(gone, gone);
}
