/** Names that package.json, users' key bindings and other programs refer to. They never change. */
export const extensionId = 'agent-mascot.agent-mascot';
export const configSection = 'agentMascot';

export const viewIds = { container: 'agentMascot', panel: 'agentMascot.panel' } as const;

export const commandIds = {
  showPanel: 'agentMascot.showPanel',
  goToLongestWait: 'agentMascot.goToLongestWait',
  connectAgents: 'agentMascot.connectAgents',
  explainState: 'agentMascot.explainState',
  copyDiagnostics: 'agentMascot.copyDiagnostics',
  showLog: 'agentMascot.showLog',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const statusBarId = 'agentMascot.status';
/** Documents that we write and nobody can edit. */
export const documentScheme = 'agent-mascot';
export const explanationScheme = 'agent-mascot-explanation';
