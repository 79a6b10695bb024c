/** Where a key leads in a tree of which one item can be reached by Tab; undefined for keys that are not the tree's. */
export function placeAfterKey(key: string, place: number, levels: readonly number[]): number | undefined {
  const count = levels.length;
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return Math.min(place + 1, count - 1);
    case 'ArrowUp':
      return Math.max(place - 1, 0);
    case 'ArrowRight':
      return levelAt(levels, place + 1) > levelAt(levels, place) ? place + 1 : place;
    case 'ArrowLeft':
      return parentOf(place, levels);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

function parentOf(place: number, levels: readonly number[]): number {
  const own = levelAt(levels, place);
  for (let above = place - 1; above >= 0; above -= 1) if (levelAt(levels, above) < own) return above;
  return place;
}

function levelAt(levels: readonly number[], place: number): number {
  return levels[place] ?? 0;
}
