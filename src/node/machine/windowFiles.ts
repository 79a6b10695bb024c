/** What windows tell each other by. Apart from the rest, because whoever removes everything needs the names alone. */
export const windowFile = /^([0-9a-f-]{36})\.window$/;
export const askFile = /^([0-9a-f-]{36})\.ask-[0-9a-f-]{36}$/;
const ownFile = /^(?:[0-9a-f-]{36}\.(?:window|ask-[0-9a-f-]{36})|claim-[0-9a-f]{32})(?:\.tmp)?$/;

export function isWindowFile(name: string): boolean {
  return ownFile.test(name);
}
