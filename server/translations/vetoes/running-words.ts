/** `running`: a word as sentences are made of. `word`: what may stand between such words. `other`: code, numbers. */
export type TokenKind = 'running' | 'word' | 'other';

const runningWord = /^[("'«„“‘¿¡[]?[\p{Ll}\p{Lo}\p{M}’']{2,40}[.,;:!?)"'»“”’\]।؟،؛۔…]{0,3}$/u;
const anyWord = /^[("'«„“‘¿¡[]?[\p{L}\p{M}’'-]{1,40}[.,;:!?)"'»“”’\]।؟،؛۔…]{0,3}$/u;

/** What stands between two spaces. */
export function tokensOf(text: string): string[] {
  return text.match(/\S+/g) ?? [];
}

export function kindOf(token: string): TokenKind {
  if (token.length > 45) return 'other';
  if (runningWord.test(token)) return 'running';
  return anyWord.test(token) ? 'word' : 'other';
}

/** The letters of `tokens`, the punctuation around them included. */
export function lettersOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, { length }) => sum + length, 0);
}
