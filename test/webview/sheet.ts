import { moods } from '../../src/protocol/state.ts';
import type { MascotAvatar } from '../../webview/components/mascot-avatar.ts';
import '../../webview/components/mascot-avatar.ts';

/** The contact sheet: many seeds in all moods, and one row of small and large ones. For eyes, not for checks. */
function avatar(
  seed: number,
  mood: (typeof moods)[number],
  size: 'small' | 'medium' | 'large',
  pixels: number,
): MascotAvatar {
  const element = document.createElement('mascot-avatar') as MascotAvatar;
  element.seed = seed;
  element.mood = mood;
  element.size = size;
  element.style.setProperty('--avatar-size', `${pixels}px`);
  return element;
}

function row(elements: readonly HTMLElement[]): void {
  const line = document.createElement('div');
  line.className = 'row';
  line.append(...elements);
  document.body.append(line);
}

function seedAt(index: number): number {
  return Math.imul(index + 1, 2654435761) >>> 0;
}

const styles = new CSSStyleSheet();
styles.replaceSync(`
  body { margin: 0; padding: 0 20px; color: var(--vscode-foreground); --mascot-mark: currentColor; }
  body.icon { padding: 0; }
  mascot-app { display: none; }
  .row { display: flex; }
  .tile { inline-size: 256px; block-size: 256px; border-radius: 58px; overflow: hidden; display: grid; place-content: end center;
    background: radial-gradient(circle at 30% 18%, oklch(0.56 0.12 285), oklch(0.38 0.1 280)); }
`);
document.adoptedStyleSheets.push(styles);

const query = new URLSearchParams(location.search);
const part = query.get('part') ?? 'sheet';
if (part === 'sheet') {
  for (let index = 0; index < 24; index += 1) row(moods.map((mood) => avatar(seedAt(index), mood, 'medium', 64)));
} else if (part === 'sizes') {
  for (let index = 0; index < 8; index += 1) row(moods.map((mood) => avatar(seedAt(index), mood, 'small', 32)));
  for (const start of [0, 5, 10])
    row(moods.slice(start, start + 5).map((mood, index) => avatar(seedAt(start + index + 30), mood, 'large', 160)));
} else if (part === 'icon') {
  await drawIcon(Number(query.get('seed')));
}
document.body.dataset['drawn'] = 'yes';

/** The extension's icon: one mascot that waves, without its door, on a tile. */
async function drawIcon(seed: number): Promise<void> {
  const mascot = avatar(seed, 'arriving', 'large', 300);
  const tile = document.createElement('div');
  tile.className = 'tile';
  tile.append(mascot);
  document.documentElement.style.removeProperty('background');
  document.body.classList.add('icon');
  document.body.append(tile);
  await mascot.updateComplete;
  for (const part of mascot.shadowRoot?.querySelectorAll('.wood, .gloom, .sky-line, .mark-line') ?? []) part.remove();
}
