/** Names that package.json, users' key bindings and other programs refer to. They never change. */
export const extensionId = 'agent-mascot.agent-mascot';
export const configSection = 'agentMascot';

export const viewIds = { container: 'agentMascot', panel: 'agentMascot.panel' } as const;

export const commandIds = {
  showPanel: 'agentMascot.showPanel',
  goToLongestWait: 'agentMascot.goToLongestWait',
  installHooks: 'agentMascot.installHooks',
  uninstallHooks: 'agentMascot.uninstallHooks',
  checkHooks: 'agentMascot.checkHooks',
  repairHooks: 'agentMascot.repairHooks',
  excludeProject: 'agentMascot.excludeProject',
  removeEverything: 'agentMascot.removeEverything',
  explainState: 'agentMascot.explainState',
  copyDiagnostics: 'agentMascot.copyDiagnostics',
  showLog: 'agentMascot.showLog',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const walkthroughId = 'agentMascot.start';

export const statusBarId = 'agentMascot.status';
/** Documents that we write and nobody can edit. */
export const hookScheme = 'agent-mascot-hooks';
export const hookTopicScheme = 'agent-mascot-topic';
export const explanationScheme = 'agent-mascot-explanation';
