/** Powers of ten by the words that follow a number, alternatives divided by `|`; `=` as for the small numbers. */
const table: [exponents: number[], words: string][] = [
  [[2], 'hundred|hundert|सौ|yüz'],
  [
    [3],
    '=k|thousand|tausend|=mil|=mille|=miles|mila|=tsd|=тыс|тысяч|тисяч|=tys|tysi|tisíc|tusen|tusind|duizend|tuhat|tuhan|=bin|ezer|χιλ|ألف|آلاف|الف|هزار|ہزار|हज़ार|हजार|ribu|nghìn|ngàn|=mii',
  ],
  [[5], 'lakh|लाख|لاکھ'],
  [
    [6],
    '=m|=mn|=mio|=mln|million|millón|millon|milioni|milione|milhão|milhões|miljoen|miljon|milion|milió|milió|miljard|млн|миллион|мільйон|milyon|millió|miljoon|εκατομ|مليون|ملايين|میلیون|ملین|मिलियन|दशलक्ष|juta|triệu|milioane',
  ],
  [[7], 'crore|करोड़|کروڑ|कोटी|करोड'],
  [
    [9, 12],
    '=b|=bn|=mrd|=mld|milliard|milliárd|miljard|miliard|млрд|миллиард|мільярд|milyar|مليار|میلیارد|ارب|अरब|bilhão|bilhões|billion|billón|billones|bilion|miliar|tỷ|δισεκ|δισ|मिलीअर्ड|अब्ज',
  ],
  [
    [12, 18],
    'trillion|trilhão|trilhões|trillón|trilyon|трлн|триллион|трильйон|billionen|billions|billiard|biliard|billón|billones|trilión|triliun',
  ],
];
const exact = new Map<string, number[]>();
const stems: [string, number[]][] = [];
for (const [exponents, words] of table) {
  for (const word of words.split('|')) {
    if (word.startsWith('=')) exact.set(word.slice(1), exponents);
    else stems.push([word, exponents]);
  }
}

/** The powers of ten that `word` may stand for after a number; none if it is no such word. */
export function exponentsOf(word: string): number[] {
  const lower = word.toLowerCase();
  const whole = exact.get(lower);
  if (whole !== undefined) return whole;
  return stems.filter(([stem]) => lower.startsWith(stem)).flatMap(([, exponents]) => exponents);
}

/** Signs that multiply a number written right before them. */
export const scaleSigns: Record<string, number> = {
  百: 2,
  千: 3,
  万: 4,
  萬: 4,
  億: 8,
  亿: 8,
  兆: 12,
  천: 3,
  만: 4,
  억: 8,
  조: 12,
  백: 2,
};

/** Thai words are written on without a space. */
export const thaiScales: [string, number][] = [
  ['พันล้าน', 9],
  ['หมื่นล้าน', 10],
  ['แสนล้าน', 11],
  ['ล้าน', 6],
  ['แสน', 5],
  ['หมื่น', 4],
  ['พัน', 3],
  ['ร้อย', 2],
];
