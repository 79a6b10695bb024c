import { cases } from '../agent-kit/cases.ts';
import { agentSuite } from '../agent-kit/suite.ts';

/** It has no status file: here the transcript and the process alone correct what the hooks miss. */
const chosen = ['headless', 'esc-permission', 'esc-command', 'kill'];

agentSuite(
  '2.1.100',
  cases.filter(({ name }) => chosen.includes(name)),
);
