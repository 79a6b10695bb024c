import { hookSuite } from '../agent-kit/hookSuite.ts';

hookSuite('2.1.100');
hookSuite('2.0.77');
