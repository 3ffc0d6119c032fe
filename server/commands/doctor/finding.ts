/** The result of a check. `fail` means that the service cannot start, or does not do what its settings require. */
export interface Finding {
  about: string;
  state: 'ok' | 'warn' | 'fail';
  /** The result in one sentence. */
  message: string;
  /** The fix. */
  advice?: string;
}

export const ok = (about: string, message: string): Finding => ({ about, state: 'ok', message });
export const warn = (about: string, message: string, advice: string): Finding => ({
  about,
  state: 'warn',
  message,
  advice,
});
export const fail = (about: string, message: string, advice: string): Finding => ({
  about,
  state: 'fail',
  message,
  advice,
});

/** Runs a check. If the check throws an error, the error becomes a finding. */
export async function check(
  about: string,
  look: () => Promise<Finding | Finding[]>,
  advice: string,
): Promise<Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    return [fail(about, reasonOf(error), advice)];
  }
}

/** Returns the messages of an error and of its causes, in one line. */
export function reasonOf(error: unknown): string {
  const words: string[] = [];
  for (let at: unknown = error; at instanceof Error && words.length < 3; at = at.cause)
    if (at.message !== '' && !at.message.startsWith('Failed query') && !words.includes(at.message))
      words.push(at.message);
  return words.join(': ').replace(/\s+/g, ' ').slice(0, 500) || 'failed without an error message';
}

/** Returns the last line of the report: the numbers of failures and warnings. */
export function summary({ warn, fail }: Record<Finding['state'], number>): string {
  const warnings = warn === 1 ? '1 warning' : `${warn} warnings`;
  if (fail > 0)
    return `${fail === 1 ? '1 check has' : `${fail} checks have`} failed${warn > 0 ? `, ${warnings}` : ''}.`;
  return warn > 0 ? `No check has failed, ${warnings}.` : 'All checks passed.';
}
