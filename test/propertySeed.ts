/**
 * Property tests use one seed, so that two runs of `npm test` check the same inputs and a failure can be repeated.
 * `npm run fuzz -- properties` tries others.
 */
import fc from 'fast-check';

const USUAL_SEED = 20_261_120;

fc.configureGlobal({ seed: Number(process.env['AGENT_MASCOT_PROPERTY_SEED'] ?? USUAL_SEED) });
