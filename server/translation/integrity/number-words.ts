import table from './spelled-numbers.json' with { type: 'json' };

interface Form {
  value: number;
  /** The words of the form after its first word. */
  rest: string[];
  /** Whether the last word may have an ending: `siebzehn` matches in "siebzehnte". */
  isOpen: boolean;
}

interface Spellings {
  /** The forms, by their first word. */
  forms: Map<string, Form[]>;
  longestWord: number;
}

const encoded: Record<string, string> = table;
const read = new Map<string, Spellings>();

function spellingsOf(lang: string): Spellings | undefined {
  const known = read.get(lang);
  if (known !== undefined || encoded[lang] === undefined) return known;
  const forms = new Map<string, Form[]>();
  for (const entry of encoded[lang].split(';')) {
    const [value, spelled] = entry.split(' ') as [string, string];
    for (const form of spelled.split(',')) {
      const [first, ...rest] = form.replace('*', '').split('+') as [string, ...string[]];
      const own = forms.get(first) ?? [];
      own.push({ value: Number(value), rest, isOpen: form.endsWith('*') });
      forms.set(first, own);
    }
  }
  const spellings = { forms, longestWord: Math.max(...[...forms.keys()].map(({ length }) => length)) };
  read.set(lang, spellings);
  return spellings;
}

/** Maximum length of an ending, in letters. */
const maxEndingLength = 6;
const maxConnectiveLength = 3;

/** Optional marks and signs: Arabic vowel signs, joiners, soft hyphens, direction marks. */
const unwritten = /[\u00ad\u061c\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns `text` in lower case without the optional marks. */
const plainLetters = (text: string): string => text.toLowerCase().replace(unwritten, '');

function wordsOf(text: string, lang: string): string[] {
  const plain = plainLetters(text);
  if (lang === 'uk') return plain.replace(/['’]/g, 'ʼ').match(/[\p{L}\p{M}ʼ]+/gu) ?? [];
  const words = plain.match(/[\p{L}\p{M}]+/gu) ?? [];
  if (lang === 'ro') return words.map((word) => word.replaceAll('ş', 'ș').replaceAll('ţ', 'ț'));
  // In Arabic, the words for "and", "in", "for" and the article are prefixes of the next word.
  if (lang !== 'ar') return words;
  return words.map((word) => word.replace(/[أإآ]/g, 'ا').replace(/^(?:[وفبك]?ال|لل|و)(?=..)/, ''));
}

/** Returns the forms that begin with the word at `i`: for each, the number of words and the value. */
function formsAt(words: readonly string[], i: number, { forms, longestWord }: Spellings): [number, number][] {
  const word = words[i]!;
  const found: [number, number][] = [];
  for (let length = Math.min(word.length, longestWord); length > 0; length -= 1) {
    if (word.length - length > maxEndingLength) break;
    for (const { value, rest, isOpen } of forms.get(word.slice(0, length)) ?? []) {
      if (length < word.length && !(isOpen && rest.length === 0)) continue;
      if (
        rest.every(
          (next, k) =>
            words[i + 1 + k] === next ||
            (isOpen && k === rest.length - 1 && words[i + 1 + k]?.startsWith(next)),
        )
      ) {
        found.push([1 + rest.length, value]);
      }
    }
    // "siebzehnte" contains "sieb…" but is not a seven: use only the longest match.
    if (found.length > 0) break;
  }
  return found;
}

const isTen = (value: number): boolean => value % 10 === 0 && value < 100;

/**
 * Returns the number composed of a ten and one to nine at `i`, in either order, with at most one short word between
 * them: "двадцать первый", "واحد وعشرون", "vingt et un".
 */
function composedAt(words: readonly string[], i: number, spellings: Spellings): [number, number] | undefined {
  const first = formsAt(words, i, spellings).filter(([count]) => count === 1);
  if (first.length === 0) return undefined;
  for (const step of [1, 2]) {
    if (step === 2 && !((words[i + 1]?.length ?? 9) <= maxConnectiveLength)) return undefined;
    if (i + step >= words.length) return undefined;
    for (const [count, second] of formsAt(words, i + step, spellings)) {
      const match = first.find(([, value]) => isTen(value) !== isTen(second) && Math.min(value, second) < 10);
      if (count === 1 && match !== undefined && isTen(Math.max(match[1], second)))
        return [step + 1, match[1] + second];
    }
  }
  return undefined;
}

/**
 * Returns the numbers from 13 to 100 that a text writes in words of its language, as cardinals or ordinals. Empty for
 * Chinese and Japanese, which write these numbers with signs.
 */
export function spelledNumbers(text: string, lang: string): Set<number> {
  const base = lang.split('-')[0]!;
  const spellings = spellingsOf(base);
  const values = new Set<number>();
  if (spellings === undefined) return values;
  if (base === 'th') {
    for (const [form, [own]] of spellings.forms) if (text.includes(form)) values.add(own!.value);
    return values;
  }
  const words = wordsOf(text, base);
  for (let i = 0; i < words.length; ) {
    const longest = [...formsAt(words, i, spellings), composedAt(words, i, spellings) ?? [0, 0]].reduce(
      (most, one) => (one[0] > most[0] ? one : most),
      [0, 0],
    );
    if (longest[1] > 12) values.add(longest[1]);
    i += Math.max(1, longest[1] > 12 ? longest[0] : 1);
  }
  return values;
}

/**
 * The words for 0 to 12 by language, in this order: cardinals and ordinals, with alternatives divided by `|`. A form
 * matches if a word of the text begins with it; after `=`, only if a whole word equals it. In scripts without spaces,
 * it matches if the text contains it. A form after `~` means "none", and matches only if a counted noun follows the
 * number.
 */
const words: Record<string, string> = {
  en: 'zero|~=no|~=nil|negativ one|=once|first|single|=a|=an two|twice|second|double|both three|third|triple four|quarter five|fifth =six|sixth =seven|seventh eight =nine|ninth =ten|tenth eleven twelve|twelfth',
  de: 'null|~kein|negativ =ein|=eine|=einen|=einem|=einer|=eines|=eins|erst|einzel|einmal zwei|zwo|beide|doppel drei|dritt vier fünf sechs =sieben|=siebe|siebt|siebzehn =acht|=achte|=achten|=achter|=achtes =neun|neunt zehn =elf|elft zwölf',
  fr: 'zéro|~aucun|~=pas|=nul|=nulle|=nulles|négati =un|=une|=première|=premier|=premiers|=premières|seul|unique =deux|deuxi|second|double trois|tiers|triple quatr cinq =six|sixi =sept|septi =huit|huiti =neuf|neuvi =dix|dixi onz douz',
  es: 'cero|~ningun|~ningún|=nulo|=nula|negativ =un|=una|=uno|primer|únic|=solo|=sola|=sólo =dos|segund|doble|ambos =tres|tercer|triple cuatr|cuart cinco|quint =seis|sext siete|séptim ocho|octav nueve|noven =diez|décim =once|undécim doce|duodécim',
  it: 'zero|~nessun|=nullo|=nulla|negativ =un|=una|=uno|prim|singol =due|second|doppi|entramb =tre|terz|tripl quattr|quart cinque|quint =sei|sest sette|settim =otto|ottav nove|=nono =dieci|decim undic dodic',
  pt: 'zero|~nenhum|=nulo|=nula|negativ =um|=uma|primeir|únic =dois|=duas|segund|dobr|dupl|ambos =três|terceir|tripl quatr|quart cinco|quint =seis|sext =sete|sétim =oito|oitav nove|=nono =dez|décim =onze =doze',
  nl: '=nul|~geen =een|=één|eerst|enkel twee|dubbel|beide =drie|derd =vier|vierd =vijf|vijfd =zes|zesd =zeven|zevend =acht|achtst =negen|negend =tien|tiend =elf|elfd twaalf',
  sv: 'noll|~ingen|~inga =en|=ett|först|enda|enstaka två|andra|dubbel|båda =tre|tredub|tredel|tredim|tredj =fyra|fjärd =fem|femt =sex|sjätt sju|sjund =åtta|ått =nio|nion =tio|tion =elva|elft =tolv|tolft',
  da: 'nul|~ingen =en|=et|=én|=ét|først|enkelt =to|=anden|=andet|dobbelt|begge =tre|tredob|tredel|tredim|tredj =fire|fjerd =fem|femt =seks|sjett =syv|syvend =otte|ottend =ni|niend =ti|tiend elleve|ellevt|elft =tolv|tolvt',
  nb: '=null|~ingen =en|=et|=én|=ett|=ei|første|enkelt =to|=andre|=annen|dobbel|begge =tre|tredob|tredel|tredim|tredj =fire|fjerd =fem|femt =seks|sjett =sju|=syv|sjuend =åtte|åttend =ni|niend =ti|tiend elleve|ellevt|elft =tolv|tolvt',
  fi: 'noll|~=ei yksi|yhde|yhtä|yhtenä|ensimmä kaksi|kahde|kahta|toise|toinen|molem kolm neljä|nelj viisi|viide|viittä kuusi|kuude|kuutta seitsem kahdeksa yhdeksä kymmen yksitoista|yhdentoista|yhdestoista kaksitoista|kahdentoista|kahdestoista',
  pl: 'zero|zera|~brak jeden|jedn|pierwsz|=raz dwu|podw|=dwa|dwie|dwóch|dwóm|dwoma|drug|=oba trzykrot|=trzy|trzech|trzem|trzec|trój cztery|czterokrot|czterech|czwart pięć|pięci|piąt sześć|sześci|szóst siedem|siedmi|siódm osiem|ośmi|ósm dziewięć|dziewięci|dziewiąt dziesięć|dziesięci|dziesiąt jedena dwana',
  cs: 'nula|nul|~žádn jeden|jedn|prvn|=jedno =dva|=dvě|dvou|dvěm|druh|=oba|=obě =tři|třech|třem|třet čtyř|čtvrt =pět|pěti|pát =šest|šesti|šest =sedm|sedmi|sedm =osm|osmi|osm devět|devít|devát deset|desít|desát jedenác dvanác',
  ru: 'нол|нул|отрицат|~=ни один|одн|перв|единств вдво|=два|=две|двух|двум|двумя|двой|втор|=обе|=оба втро|три|трё|трем|трех|трет четыр|вчетвер|четвер пять|пяти|пятый|пятая|пятое|пятой|пятого шесть|шести|шест =семь|=семи|=семью|седьм восем|восьм девят десят одиннадцат двенадцат',
  uk: "нул|~жодн один|одн|перш|єдин вдв|=два|=дві|дво|двом|друг|обид втр|тривимір|=три|трьо|трет чотир|вчетвер|четвер п’ят|пʼят|п'ят шіст|шість|шест|шост =сім|семи|сьом вісім|восьм дев’ят|девʼят|дев'ят десят одинадцят дванадцят",
  ro: 'zero|~=nici =un|=o|=unu|=una|prim|singur =doi|=două|doilea|doua =trei|treilea|treia patru cinci =șase|=şase =șapte|=şapte =opt|optul|opta =nouă|noulea|noua =zece|zecelea unsprezece doisprezece|douăsprezece',
  hu: 'null|~semm|~=sem|~nincs|negatív =egy|egyet|első|egyszer kettő|=két|második|mindkét három|harmadik =négy|negyed =öt|ötöd =hat|hatod =hét|heted nyolc kilenc =tíz|tized tizenegy tizenk',
  el: 'μηδέν|μηδεν|~κανέν ένα|μια|μία|ένας|έναν|πρώτ|μόνο δύο|δυο|δεύτερ|διπλ =τρεις|=τρία|τριών|τρίτ|τριπλ τέσσερ|τεσσάρ|τέταρτ πέντε|πέμπτ =έξι|έκτ επτά|εφτά|έβδομ οκτώ|οχτώ|όγδο εννέα|εννιά|ένατ δέκα|δέκατ έντεκα|ενδέκατ δώδεκα|δωδέκατ',
  tr: 'sıfır =bir|birinci|=ilk|=tek =iki|ikinci|çift =üç|üçüncü =dört|dördüncü =beş|beşinci =altı|altıncı =yedi|yedinci sekiz dokuz =on|onuncu onbir onik',
  ar: 'صفر|الصفر|~=لا واحد|الواحد|الأول|=أول|إحدى|=أحد اثن|إثن|الاثن|الثان|ثاني ثلاث|الثلاث|ثالث|الثالث أربع|اربع|الأربع|الرابع|رابع خمس|الخمس|خامس|الخامس =ست|=ستة|الستة|سادس|السادس =سبع|سبعة|السبعة|سابع|السابع ثمان|الثمان|ثامن|الثامن تسع|التسع|تاسع|التاسع عشر|العشر|عاشر|العاشر أحد|إحدى|الحادي اثنا|اثني|اثنتا|الثاني',
  fa: 'صفر =یک|یکی|=اول|اولین|نخست|=تک =دو|دوم|دومین =سه|سوم|سومین چهار =پنج|پنجم =شش|ششم =هفت|هفتم =هشت|هشتم =نه|نهم =ده|دهم یازده دوازده',
  ur: 'صفر ایک|پہل|=اول =دو|دوسر|=دوم =تین|تیسر|=سوم چار|چوتھ|چہارم پانچ|پنجم =چھ|چھٹ|ششم =سات|سات|ہفتم =آٹھ|آٹھ|ہشتم =نو|نواں|=نہم =دس|دسو|دہم گیارہ بارہ',
  hi: 'शून्य एक|पहल|प्रथम =दो|दूसर|द्वितीय|दोनों तीन|तीसर|तृतीय चार|चौथ|चतुर्थ पाँच|पांच|पंचम =छह|=छः|छठ|षष्ठ =सात|सातव|सप्तम आठ|अष्टम =नौ|नौव|नवा|नवम =दस|दसव ग्यारह बारह',
  mr: 'शून्य एक|पहिल =दोन|दुसर|द्वितीय =तीन|तिसर|तृतीय चार|चौथ|चतुर्थ पाच|पंचम सहा =सात|सातव आठ =नऊ|नवव =दहा|दहाव अकरा बारा',
  ne: 'शून्य एक|पहिल =दुई|दोस्र तीन|तेस्र चार|चौथ पाँच|पांच =छ|छैट =सात|सात आठ =नौ|नव|नब =दस|=दश|दशौ एघार बाह्र',
  vi: '~=không =một|=nhất|=đầu =hai|=nhì|=đôi =ba =bốn|=tư =năm =sáu =bảy =tám =chín =mười =mười =mười',
  id: 'nol satu|sebuah|seorang|sekali|pertama dua|kedua|ganda tiga|ketiga empat|keempat lima|kelima enam|keenam tujuh|ketujuh delapan|kedelapan sembilan|kesembilan sepuluh|kesepuluh sebelas =dua',
  ms: 'sifar|kosong satu|sebuah|seorang|sekali|pertama dua|kedua tiga|ketiga empat|keempat lima|kelima enam|keenam tujuh|ketujuh lapan|kelapan sembilan|kesembilan sepuluh|kesepuluh sebelas =dua',
  ja: '零|ゼロ 一|ひとつ|最初|単一 二|ふたつ|両|ダブル 三|みっつ 四|よっつ 五|いつつ 六|むっつ 七|ななつ 八|やっつ 九|ここのつ 十 十一 十二',
  zh: '零|~没有|~沒有 一|首|单|單 二|两|兩|双|雙 三 四 五 六 七 八 九 十 十一 十二',
  ko: '=영|~아무|~없 =한|하나|=첫|첫째|단일 =두|둘|=양 =세|셋 =네|넷 다섯 여섯 일곱 여덟 아홉 =열 =열한|열하나 =열두|열둘',
  th: 'ศูนย์ หนึ่ง|แรก|เดียว สอง|คู่ สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ สิบเอ็ด สิบสอง',
};
const unspaced = new Set(['ja', 'zh', 'th']);

/**
 * Returns a function that checks whether a text contains a number from 0 to 12 in words of its language. If the words
 * of the language are not listed, every such number counts as contained: missing a loss is better than reporting one
 * that does not exist. An article does not count as one, nor "not" as zero, unless the source's number counts something
 * (`counts`), as in "1 file".
 */
export function smallNumberWords(text: string, lang: string): (value: number, counts: boolean) => boolean {
  const base = lang.split('-')[0]!;
  const list = words[base]?.split(' ').map((forms) => forms.split('|'));
  if (list === undefined) return (value) => value <= 12;
  const lower = plainLetters(text);
  let tokens: string[] | undefined;
  const known = new Map<string, boolean>();
  const holds = (value: number, counts: boolean): boolean => {
    const all = list[value];
    if (all === undefined || (value === 1 && !counts)) return false;
    const forms = all.filter((form) => counts || !form.startsWith('~')).map((form) => form.replace('~', ''));
    if (unspaced.has(base)) return forms.some((form) => lower.includes(form));
    tokens ??= [...new Set(lower.match(/[\p{L}\p{M}'’ʼ]+/gu) ?? [])];
    const exact = new Set(forms.filter((form) => form.startsWith('=')).map((form) => form.slice(1)));
    const stems = forms.filter((form) => !form.startsWith('='));
    return tokens.some((token) => exact.has(token) || stems.some((stem) => token.startsWith(stem)));
  };
  return (value, counts) => {
    const key = `${value} ${counts}`;
    if (!known.has(key)) known.set(key, holds(value, counts));
    return known.get(key)!;
  };
}
