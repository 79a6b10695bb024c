/** English of what is said of the team's database; the translations are in media/l10n. */
export const teamWords = {
  'connect.title': 'Connect a Team Database',
  'connect.prompt': 'The URL of your team’s PostgreSQL (13 or newer). It is kept in the editor’s secret storage.',
  'connect.place': 'postgresql://user:password@host:5432/database',
  'connect.testing': 'Trying the team database…',
  'connect.question': 'Copy what Agent Mascot stores to {where}?',
  'connect.detail':
    'From now on the prompts, replies, tool calls, sessions, session events and work items of this machine are copied there, with those that are stored already: masked, and under the name {user}. Excluded projects are not copied; of what is not logged only names of tools and files, counts and times are. What you delete here is deleted there, too; what expires here stays there.',
  'connect.button': 'Copy from Now On',
  'connect.preview': 'Show What Would Be Sent',
  'connect.no': 'Don’t Copy',
  'connect.wrong': 'This URL can’t be used. {detail}',
  'connect.done': 'Agent Mascot copies to the team database from now on.',
  'status.off': 'No team database is connected.',
  'status.running': 'Asking the team database…',
  'status.here': 'Team database {where}: {standing}',
  'status.there': 'Team database {where}: another window does the copying.',
  'status.counts':
    'This machine’s rows: {sessions} sessions, {interactions} interactions, {events} session events, {items} work items. Last push: {last}. Visible machines: {machines}.',
  'status.never': 'never',
  'standing.copying': 'copying.',
  'standing.behind': 'copying; events waiting: {events}, since {time}.',
  'standing.upToDate': 'up to date.',
  'standing.lasts': 'Since {time}; events waiting: {events}.',
  'elsewhere.editor':
    'Team database {where}: {app} holds the history now, and copies it if the team database is connected there, too.',
  'elsewhere.headless':
    'Team database {where}: a collector without an editor holds the history now, and copies nothing. End it, and this editor takes over.',
  'disconnect.question': 'Stop copying to the team database?',
  'disconnect.detail':
    'The URL is deleted from the secret storage. This machine’s rows in the database can stay or go.',
  'disconnect.keep': 'Stop, Keep the Rows',
  'disconnect.remove': 'Stop, Delete the Rows',
  'disconnect.done': 'Agent Mascot copies to no team database any more.',
  'disconnect.there': '{app} holds the history now: disconnect the team database there, too.',
  'disconnect.failed': 'This machine’s rows are still there, and copying goes on. {why}',
  'disconnect.removed': 'This machine’s rows were deleted from the team database.',
  'preview.title': 'What goes to the team database',
  'preview.intro':
    'Rows that this machine would send now, a few for each table, just as they would be sent. All that is stored is copied, not only these.',
  'preview.none': 'There is no session to show.',
  'button.again': 'Try Again…',
  'button.connect': 'Connect…',
  'button.disconnect': 'Disconnect…',
  'button.reconnect': 'Connect Again…',
  'button.status': 'Show Status',
  'button.showLog': 'Show Log',
  'refusal.unreachable':
    'The team database can’t be reached: {detail}. Check host and port, and whether you need a VPN.',
  'refusal.other': 'The team database can’t be used: {detail}.',
  'trouble.address': 'The team database’s URL can’t be used: {detail} Connect again with another.',
  'trouble.caFile':
    'The setting agentMascot.postgres.caFile can’t be used: {detail}. Name a PEM file with certificates.',
  'trouble.password': 'The team database refuses user or password: {detail}. Connect it again with the right ones.',
  'trouble.host': 'The team database’s host is not known here: {detail}. Check its name, or whether you need a VPN.',
  'trouble.unreachable': 'The team database can’t be reached now: {detail}. It is tried again; nothing is lost.',
  'trouble.tls':
    'No safe connection to the team database: {detail}. Certificate not trusted: name its authority in agentMascot.postgres.caFile. Other host name: sslmode=verify-ca. Server without TLS: sslmode=disable, only in a network that you trust.',
  'trouble.database': 'There is no such database: {detail}. Connect again with the right name, or have it created.',
  'trouble.rights':
    'The team database does not let this user do what is needed: {detail}. Ask for the right to create the schema agent_mascot, or to write in its tables; after an update of the extension, whoever made the schema has to connect first.',
  'trouble.role':
    'This machine’s rows in the team database belong to another role: {detail}. Connect with that role’s URL, or ask the schema’s owner to hand them over. On a copied machine, delete machine.json in ~/.agent-mascot.',
  'trouble.newer':
    'The team database was set up by a newer Agent Mascot: {detail}. Update the extension; nothing is lost until then.',
  'trouble.full':
    'The team database’s disk is full: {detail}. Ask for room to be made there. It is tried again; nothing is lost.',
  'trouble.data': 'The team database refuses what it was sent: {detail}. See the log.',
  'trouble.removed':
    'The team database does not know this machine any more: {detail}. All that is stored here is copied there again.',
  'trouble.other': 'Copying to the team database failed: {detail}. It is tried again; nothing is lost.',
} as const;
