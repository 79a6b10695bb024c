/** Names of the list's items: a session and an agent may have the same id. */
export function sessionItem(id: string): string {
  return `session:${id}`;
}

export function agentItem(id: string): string {
  return `agent:${id}`;
}
