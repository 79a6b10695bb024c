/** Where a key leads in a list of which one item can be reached by Tab; undefined for keys that are not the list's. */
export function placeAfterKey(key: string, place: number, count: number): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return Math.min(place + 1, count - 1);
    case 'ArrowUp':
    case 'ArrowLeft':
      return Math.max(place - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
