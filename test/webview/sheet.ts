import { html, render } from 'lit';
import { moods, type Mood } from '../../src/protocol/state.ts';
import { drawMascot } from '../../webview/avatar/draw.ts';
import * as choices from '../../webview/avatar/traits.ts';
import type { Traits } from '../../webview/avatar/traits.ts';
import type { MascotAvatar } from '../../webview/components/mascot-avatar.ts';
import '../../webview/components/mascot-avatar.ts';
import { knownSeed } from './knownSeed.ts';
import { pictureTools } from './pictureTools.ts';

/** The pages with mascots alone: the contact sheet, grids that tests measure, a row of sizes for eyes, and the icon. */
function avatar(seed: number, mood: Mood, pixels: number): MascotAvatar {
  const element = document.createElement('mascot-avatar') as MascotAvatar;
  element.seed = seed;
  element.mood = mood;
  element.size = pixels < 48 ? 'small' : pixels < 120 ? 'medium' : 'large';
  element.style.setProperty('--avatar-size', `${pixels}px`);
  return element;
}

function row(elements: readonly HTMLElement[]): void {
  const line = document.createElement('div');
  line.className = 'row';
  line.append(...elements);
  document.body.append(line);
}

const styles = new CSSStyleSheet();
styles.replaceSync(`
  body { margin: 0; padding: 0 20px; color: var(--vscode-foreground); --mascot-mark: currentColor; }
  body.icon { padding: 0; }
  body.bare { padding: 0; inline-size: max-content; }
  body.named { padding: 8px; inline-size: max-content; }
  mascot-app { display: none; }
  .row { display: flex; }
  .bare mascot-avatar { overflow: hidden; }
  body.stage { inline-size: 560px; box-sizing: border-box; padding: 24px 0; background: var(--vscode-editor-background); }
  .stage .row { justify-content: center; align-items: end; gap: 14px; }
  .stage mascot-avatar { overflow: visible; }
  .name { font: 9px / 16px system-ui, sans-serif; text-align: center; }
  .tile { inline-size: 256px; block-size: 256px; border-radius: 58px; overflow: hidden; display: grid; place-content: end center;
    background: radial-gradient(circle at 30% 18%, oklch(0.56 0.12 285), oklch(0.38 0.1 280)); }
`);
document.adoptedStyleSheets.push(styles);

const query = new URLSearchParams(location.search);
const pixels = Number(query.get('pixels') ?? 64);
const count = Number(query.get('count') ?? 24);
switch (query.get('part') ?? 'sheet') {
  case 'sheet':
    drawSheet();
    break;
  case 'moods':
    document.body.classList.add('bare');
    for (let index = 0; index < count; index += 1) row(moods.map((mood) => avatar(knownSeed(index), mood, pixels)));
    break;
  case 'mutated':
    await drawMutated((query.get('slot') ?? 'body') as keyof Traits);
    break;
  case 'groups': {
    document.body.classList.add('bare');
    const [from, mood] = [Number(query.get('from') ?? 0), (query.get('mood') ?? 'thinking') as Mood];
    for (let group = from; group < from + count; group += 1)
      row(Array.from({ length: 12 }, (_, place) => avatar(knownSeed(1000 + group * 12 + place), mood, pixels)));
    break;
  }
  case 'sizes':
    for (let index = 0; index < 8; index += 1) row(moods.map((mood) => avatar(knownSeed(index), mood, 32)));
    for (const start of [0, 5, 10])
      row(moods.slice(start, start + 5).map((mood, index) => avatar(knownSeed(start + index + 30), mood, 160)));
    break;
  case 'walkthrough':
    drawWalkthrough(query.get('scene') ?? 'meet');
    break;
  case 'icon':
    await drawIcon(Number(query.get('seed')));
    break;
}
Object.assign(window, { pictureTools });
document.body.dataset['drawn'] = 'yes';

function drawSheet(): void {
  document.body.classList.add('named');
  row(
    moods.map((mood) => {
      const name = document.createElement('div');
      name.className = 'name';
      name.textContent = mood;
      name.style.setProperty('inline-size', `${pixels}px`);
      return name;
    }),
  );
  for (let index = 0; index < count; index += 1) row(moods.map((mood) => avatar(knownSeed(index), mood, pixels)));
}

/** The same seeds as `moods`, each with the next choice in one of its slots: what a comparison has to see. */
async function drawMutated(slot: keyof Traits): Promise<void> {
  const { bodies, colours, accents, earKinds, eyeKinds, mouthKinds, hats, accessories, patterns, cheekKinds } = choices;
  const lists = {
    body: bodies,
    colour: colours,
    accent: accents,
    ears: earKinds,
    eyes: eyeKinds,
    mouth: mouthKinds,
    hat: [...new Set(hats)],
    accessory: accessories,
    pattern: patterns,
    cheeks: cheekKinds,
  };
  const list: readonly string[] = lists[slot];
  document.body.classList.add('bare');
  for (let index = 0; index < count; index += 1) {
    const traits = choices.traitsOf(knownSeed(index));
    const changed = { ...traits, [slot]: list[(list.indexOf(traits[slot]) + 1) % list.length] };
    const tiles = moods.map((mood) => avatar(knownSeed(index), mood, pixels));
    row(tiles);
    for (const tile of tiles) {
      await tile.updateComplete;
      render(
        html`<svg class="${changed.colour} on-${changed.accent}" viewBox="0 0 96 96">
          ${drawMascot(changed, tile.mood)}
        </svg>`,
        tile.renderRoot as ShadowRoot,
      );
    }
  }
}

/** Pictures without a word, so that they suit every language and look the same with every font. */
function drawWalkthrough(scene: string): void {
  document.body.classList.add('bare', 'stage');
  switch (scene) {
    case 'meet':
      row([
        avatar(knownSeed(6), 'resting', 88),
        avatar(knownSeed(20), 'writing', 104),
        avatar(knownSeed(2), 'arriving', 136),
        avatar(knownSeed(11), 'reading', 104),
        avatar(knownSeed(23), 'searching', 88),
      ]);
      break;
    case 'moods':
      for (const start of [0, 5, 10]) row(moods.slice(start, start + 5).map((mood) => avatar(knownSeed(12), mood, 92)));
      break;
    case 'waits':
      row([
        avatar(knownSeed(15), 'running', 96),
        avatar(knownSeed(3), 'waiting', 176),
        avatar(knownSeed(21), 'thinking', 96),
      ]);
      break;
  }
}

/** The extension's icon: one mascot that waves, without its door, on a tile. */
async function drawIcon(seed: number): Promise<void> {
  const mascot = avatar(seed, 'arriving', 300);
  const tile = document.createElement('div');
  tile.className = 'tile';
  tile.append(mascot);
  document.documentElement.style.removeProperty('background');
  document.body.classList.add('icon');
  document.body.append(tile);
  await mascot.updateComplete;
  for (const part of mascot.shadowRoot?.querySelectorAll('.wood, .gloom, .sky-line, .mark-line') ?? []) part.remove();
}
