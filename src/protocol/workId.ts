/** Typed in a terminal and read by agents: nothing in it means anything to a shell. */
export const WORK_ID = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,79}$/u;

export const WORK_ID_RULE = 'takes letters, digits, ".", "_" and "-", and begins with a letter or a digit (at most 80)';
