/** Letters that a language has and its neighbours have not, and letters of these that it never has itself. */
const alphabets: Readonly<Record<string, { own: string; foreign: string }>> = {
  ru: { own: 'ыэёъ', foreign: 'іїєґ' },
  uk: { own: 'іїєґ', foreign: 'ыэёъ' },
  sv: { own: 'äö', foreign: 'æø' },
  da: { own: 'æø', foreign: 'äö' },
  nb: { own: 'æø', foreign: 'äö' },
  fa: { own: '', foreign: 'ٹڈڑںےہ' },
  ar: { own: 'ةىأإ', foreign: 'ٹڈڑںےہژ' },
};

/** How many foreign letters it takes, how many times the own ones, and of how many letters one. */
const telling = { letters: 4, timesOwn: 4, oneIn: 80 } as const;

/**
 * Whether a text that should be in `language` is in a neighbour's alphabet: Russian for Ukrainian, Danish for Swedish,
 * Urdu for Persian. A foreign name or two is not enough.
 */
export function hasForeignLetters(text: string, language: string): boolean {
  const alphabet = alphabets[language];
  if (!alphabet) return false;
  const lower = text.toLowerCase();
  const foreign = count(lower, alphabet.foreign);
  return (
    foreign >= telling.letters &&
    foreign > telling.timesOwn * count(lower, alphabet.own) &&
    foreign * telling.oneIn >= (lower.match(/\p{L}/gu)?.length ?? 0)
  );
}

function count(text: string, letters: string): number {
  let found = 0;
  for (let at = 0; at < text.length; at++) if (letters.includes(text[at]!)) found++;
  return found;
}
