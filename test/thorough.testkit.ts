/** `npm run fuzz -- thorough` tries every case of what `npm test` takes samples of. */
export const isThorough = process.env['AGENT_MASCOT_THOROUGH'] === '1';
