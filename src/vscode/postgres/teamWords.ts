/** English of what is said of the team's database; the translations are in media/l10n. */
export const teamWords = {
  'connect.title': 'Connect a Team Database',
  'connect.prompt': 'The URL of your team’s PostgreSQL (13 or newer). It is kept in the editor’s secret storage.',
  'connect.place': 'postgresql://user:password@host:5432/database',
  'connect.testing': 'Trying the team database…',
  'connect.question': 'Copy what Agent Mascot stores to {where}?',
  'connect.detail':
    'Prompts, replies, tool calls, sessions, session events and work items of this machine go there from now on, those that are stored already too, masked, under the name {user}. What is excluded or not logged does not go. What you delete here is deleted there; what retention removes here stays there.',
  'connect.button': 'Copy from Now On',
  'connect.preview': 'Show What Would Be Sent',
  'connect.done': 'Agent Mascot copies to the team database from now on.',
  'status.off': 'No team database is connected.',
  'status.running': 'Asking the team database…',
  'status.here': 'Team database {where}: {standing}',
  'status.there': 'Team database {where}: another window does the copying.',
  'status.counts':
    'This machine’s rows: {sessions} sessions, {interactions} interactions, {events} session events, {items} work items. Last push: {last}. Machines: {machines}.',
  'status.never': 'never',
  'standing.off': 'off',
  'standing.copying': 'copying',
  'standing.upToDate': 'up to date',
  'disconnect.question': 'Stop copying to the team database?',
  'disconnect.detail':
    'The URL is deleted from the secret storage. This machine’s rows in the database can stay or go.',
  'disconnect.keep': 'Stop, Keep the Rows',
  'disconnect.remove': 'Stop, Delete the Rows',
  'disconnect.done': 'Agent Mascot copies to no team database any more.',
  'disconnect.removed': 'This machine’s rows were deleted from the team database.',
  'preview.title': 'What goes to the team database',
  'preview.intro':
    'For each of these tables, rows that this machine would send now, as they would be. All of what is stored goes.',
  'preview.none': 'There is no session to show.',
  'button.reconnect': 'Connect Again…',
  'button.showLog': 'Show Log',
  'trouble.address': 'The team database’s URL can’t be used: {detail} Connect it again.',
  'trouble.caFile':
    'The setting agentMascot.postgres.caFile can’t be used: {detail}. Name a PEM file with certificates.',
  'trouble.password': 'The team database refuses user or password: {detail}. Connect it again with the right ones.',
  'trouble.host': 'The team database’s host is not known here: {detail}. Check its name, or whether you need a VPN.',
  'trouble.unreachable': 'The team database can’t be reached now: {detail}. It is tried again; nothing is lost.',
  'trouble.tls':
    'No safe connection to the team database: {detail}. Name its authority in agentMascot.postgres.caFile, or say in the URL what is enough (sslmode).',
  'trouble.database': 'There is no such database: {detail}. Connect again with the right name, or have it made.',
  'trouble.rights':
    'The team database lets this user not do what is needed: {detail}. Ask for the right to create the schema agent_mascot, or to write in it.',
  'trouble.newer':
    'The team database was set up by a newer Agent Mascot: {detail}. Update the extension; nothing is lost until then.',
  'trouble.full': 'The team database’s disk is full: {detail}. It is tried again; nothing is lost.',
  'trouble.data': 'The team database refuses what it was sent: {detail}. The log says more.',
  'trouble.other': 'Copying to the team database failed: {detail}. It is tried again; nothing is lost.',
} as const;
