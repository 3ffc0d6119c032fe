/** Pairs of a pattern and its replacement. The first pattern that fits is used. */
type Rules = readonly (readonly [RegExp, string])[];

const word = (words: string) => new RegExp(String.raw`(?<![\p{L}\p{M}])(?:${words})(?![\p{L}\p{M}])`, 'u');

/** How a negation is dropped and added. A language without rules has no such errors. */
const negations: Readonly<Record<string, { drop: Rules; add: Rules }>> = {
  de: {
    drop: [
      [/ nicht(?![\p{L}])/u, ''],
      [word('kein'), 'ein'],
      [word('keine'), 'eine'],
      [word('keinen'), 'einen'],
      [word('keiner'), 'einer'],
      [/(?<![\p{L}])ohne(?![\p{L}])/u, 'mit'],
    ],
    add: [
      [/(?<=[\p{L}] )(ist|sind|wird|werden|kann|können|hat|haben|wurde|muss)(?= )/u, '$1 nicht'],
      [/(?<=[\p{L}] )eine?n?(?= \p{Lu})/u, 'k$&'],
    ],
  },
  fr: {
    drop: [
      [/(?<![\p{L}])(?:ne |n[’'])((?:\p{L}+[’'])?\p{L}+) (?:pas|plus|jamais)(?![\p{L}])/iu, '$1'],
      [/(?<![\p{L}])(?:ne|Ne) pas /u, ''],
      [word('sans'), 'avec'],
      [/(?<![\p{L}])[Aa]ucune?(?![\p{L}])/u, 'chaque'],
    ],
    add: [
      [/(?<=[\p{L}] )(est|était|a été)(?= )/u, 'n’$1 pas'],
      [
        /(?<=[\p{L}] )(sont|peut|peuvent|doit|doivent|sera|seront|permet|contient|fournit)(?= )/u,
        'ne $1 pas',
      ],
    ],
  },
  es: {
    drop: [
      [/(?<![\p{L}])[Nn]o (?=\p{Ll})/u, ''],
      [word('sin'), 'con'],
      [word('nunca'), 'siempre'],
      [/(?<![\p{L}])ning[uú]na?(?![\p{L}])/u, 'alguna'],
    ],
    add: [[/(?<=[\p{L}] )(se|es|está|son|están|puede|pueden|debe|ha|contiene|permite|fue)(?= )/u, 'no $1']],
  },
  ja: {
    drop: [
      [/ませんでした/u, 'ました'],
      [/ではありません/u, 'です'],
      [/ありません/u, 'あります'],
      [/ません/u, 'ます'],
      [/できない/u, 'できる'],
      [/しない/u, 'する'],
      [/されない/u, 'される'],
      [/なしで/u, 'ありで'],
    ],
    add: [
      [/あります/u, 'ありません'],
      [/ます(?=[。か]|$)/u, 'ません'],
      [/です(?=[。か]|$)/u, 'ではありません'],
      [/できる/u, 'できない'],
      [/する(?=[。]|$)/u, 'しない'],
    ],
  },
  ar: {
    drop: [
      [/(?<![\p{L}\p{M}])(?:لا|لم|لن|ليس|ليست) /u, ''],
      [word('بدون'), 'مع'],
      [/(?<![\p{L}\p{M}])غير /u, ''],
    ],
    add: [[/(?<=[\p{L}] )(?:يمكن|يجب|يوجد|يتم|يحتوي|يدعم|يعمل|يستخدم|تستطيع|يسمح)/u, 'لا $&']],
  },
};

const nothing = { drop: [], add: [] };

export function negationOf(lang: string) {
  return negations[lang] ?? nothing;
}

/** Formal words of address, and informal ones. All that occur are replaced. */
const addresses: Readonly<Record<string, Rules>> = {
  de: [
    [/(?<=[\p{L},] )Sie(?![\p{L}])/gu, 'du'],
    [/(?<=[\p{L},] )Ihnen(?![\p{L}])/gu, 'dir'],
    [/(?<=[\p{L},] )Ihr(e[mnrs]?)?(?![\p{L}])/gu, 'dein$1'],
  ],
  fr: [
    [/(?<![\p{L}-])vous(?![\p{L}])/gu, 'tu'],
    [/(?<![\p{L}])votre(?![\p{L}])/gu, 'ton'],
    [/(?<![\p{L}])vos(?![\p{L}])/gu, 'tes'],
    [/(?<![\p{L}])Vous(?![\p{L}])/gu, 'Tu'],
    [/(?<![\p{L}])Votre(?![\p{L}])/gu, 'Ton'],
  ],
  es: [
    [/(?<![\p{L}])usted(?![\p{L}])/gu, 'tú'],
    [/¿Desea(?![\p{L}])/gu, '¿Deseas'],
    [/¿Quiere(?![\p{L}])/gu, '¿Quieres'],
    [/¿Está seguro/gu, '¿Estás seguro'],
    [/(?<![\p{L}])(Seleccion|Us|Puls|Prueb|Compruéb|Comprueb|Configur|Intent)e(?![\p{L}])/gu, '$1a'],
    [/(?<![\p{L}])(Escrib|A[ñn]ad)a(?![\p{L}])/gu, '$1e'],
  ],
  ja: [
    [/ください/gu, 'くれ'],
    [/しますか/gu, 'するか'],
  ],
};

export function addressOf(lang: string): Rules {
  return addresses[lang] ?? [];
}

/** Units, and units with another size. */
const units: Readonly<Record<string, string>> = {
  MB: 'GB',
  GB: 'MB',
  kB: 'MB',
  KB: 'MB',
  Mo: 'Go',
  Go: 'Mo',
  ko: 'Mo',
  Ko: 'Mo',
  MiB: 'GiB',
  GiB: 'MiB',
  KiB: 'MiB',
  Mio: 'Gio',
  '%': '‰',
  ms: 's',
  mm: 'cm',
  cm: 'mm',
  km: 'mm',
  px: 'pt',
  pt: 'px',
  dpi: 'px',
  bits: 'bytes',
  Bit: 'Byte',
  bit: 'Byte',
  Bits: 'Bytes',
  bytes: 'bits',
  Bytes: 'Bits',
  octets: 'bits',
};

const unitWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: {
    Minuten: 'Sekunden',
    Sekunden: 'Minuten',
    Stunden: 'Minuten',
    Tage: 'Stunden',
    Tagen: 'Stunden',
    Zeichen: 'Wörter',
  },
  fr: { minutes: 'secondes', secondes: 'minutes', heures: 'minutes', jours: 'heures', caractères: 'mots' },
  es: { minutos: 'segundos', segundos: 'minutos', horas: 'minutos', días: 'horas', caracteres: 'palabras' },
  ja: { 分: '秒', 秒: '分', 時間: '分', 日: '時間', 文字: '語', ビット: 'バイト', バイト: 'ビット' },
  ar: {
    دقائق: 'ثوان',
    دقيقة: 'ثانية',
    ثانية: 'دقيقة',
    ثوان: 'دقائق',
    ساعة: 'دقيقة',
    يوم: 'ساعة',
    أيام: 'ساعات',
    بت: 'بايت',
  },
};

export function unitsOf(lang: string): Readonly<Record<string, string>> {
  return { ...units, ...unitWords[lang] };
}
