/** What a check has found. `fail`: the service does not start, or does not do what the settings ask for. */
export interface Finding {
  about: string;
  state: 'ok' | 'warn' | 'fail';
  /** One sentence: what is there. */
  says: string;
  /** What to do about it. */
  advice?: string;
}

export const ok = (about: string, says: string): Finding => ({ about, state: 'ok', says });
export const warn = (about: string, says: string, advice: string): Finding => ({
  about,
  state: 'warn',
  says,
  advice,
});
export const fail = (about: string, says: string, advice: string): Finding => ({
  about,
  state: 'fail',
  says,
  advice,
});

/** Runs a check. Whatever it throws is a finding, too. */
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

/** The words of an error and of what caused it, in one line. */
export function reasonOf(error: unknown): string {
  const words: string[] = [];
  for (let at: unknown = error; at instanceof Error && words.length < 3; at = at.cause)
    if (at.message !== '' && !at.message.startsWith('Failed query') && !words.includes(at.message))
      words.push(at.message);
  return words.join(': ').replace(/\s+/g, ' ').slice(0, 500) || 'it failed for no stated reason';
}
