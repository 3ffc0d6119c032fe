import { readFileSync } from 'node:fs';
import { isCommonWord } from './common-words.ts';
import type { Entity } from './numbers.ts';

type Gender = NonNullable<Entity['gender']>;

interface GivenName {
  gender: Gender | undefined;
  /** Whether it is also a word or a place. */
  isWord: boolean;
}

const givenNames = readGivenNames();

function readGivenNames(): ReadonlyMap<string, GivenName> {
  const lines = readFileSync(new URL('./given-names.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const genders = ['f', 'm', undefined] as const;
  return new Map(
    lines.flatMap((line, index) =>
      line.split(' ').map((name) => [name, { gender: genders[index % 3], isWord: index > 2 }] as const),
    ),
  );
}

const listOf = (words: string) => words.trim().split(/\s+/);

/** Titles before a name, in lowercase and without dots, by gender. */
const titles = new Map<string, Gender | undefined>([
  ...listOf(`mrs ms miss madam lady frau fräulein madame mme mlle mademoiselle señora sra srta señorita doña dña signora sigra
    sig.ra dott.ssa dottoressa signorina senhora dona mevrouw mevr mw pani fru rouva panią госпожа госпоже госпожу госпожой г-жа г-же г-жу уважаемая дорогая пані
    шановна κυρία bayan السيدة श्रीमती paní doamna dna`).map((title) => [title, 'f'] as const),
  ...listOf(`mr sir lord herr herrn monsieur m mm señor sr don signor signore sig dott senhor snr dhr meneer heer pan pana panu panem
    hr herra господин господина господину господином г-н г-на г-ну уважаемый дорогой пан пана панові шановний κύριος bay السيد श्री domnul dl`).map(
    (title) => [title, 'm'] as const,
  ),
  ...listOf(`mx dr prof professor doctor doktor professeur docteur profesor doctora professoressa professore doutor doutora
    dra drs ing dipl-ing mag rev reverend rabbi imam fr hon judge captain capt colonel col lieutenant lt sergeant sgt
    commander senator congressman congresswoman ambassador uncle aunt messrs доктор профессор maître me avv ing geom av doç
    général commandant capitaine lieutenant-colonel sieur sieurs د الدكتور डॉ`).map(
    (title) => [title, undefined] as const,
  ),
]);

/** Abbreviations behind a title: Dr. med., Dr. h. c. */
const degrees = new Set(listOf('med phil rer nat jur iur oec pol dent vet theol habil h c'));

/** Titles that are also other words, and count only with a dot or before a capital in the middle of a sentence. */
const dotted = new Set(listOf('m mm me fr hon av ing mag hr dl ms rev don bay sr col lt'));

/** Titles that are in no name: not “Lage Herr”. */
const civil = new Set(
  listOf('herr frau herrn monsieur madame signor signora señor señora doña dña senhor senhora'),
);

/** Titles before several names: “MM. Varinard et Couard”. */
const plurals = new Set(['mm', 'messrs', 'sieurs', 'herren', 'señores']);

const conjunctions = new Set(['and', 'und', 'et', 'y', 'e', 'en', 'och', 'и']);

/** Initials that are abbreviations of other words: “U.S. Army”. */
const noInitials = new Set([
  'US',
  'UK',
  'UN',
  'EU',
  'DC',
  'NY',
  'LA',
  'PO',
  'ID',
  'AM',
  'PM',
  'BC',
  'AD',
  'IT',
  'HR',
  'QA',
]);

/** Words of salutations at the start of a line, in lowercase. */
const greetings = new Set(
  listOf(`dear dearest hi hello hey hallo liebe lieber liebes moin servus sehr cher chère chers bonjour salut bonsoir querido querida
    estimado estimada apreciado apreciada hola caro cara gentile egregio egregia ciao buongiorno salve prezado prezada
    olá oi bom beste geachte lieve dag drogi droga szanowny szanowna cześć дорогой дорогая уважаемый уважаемая привет
    здравствуйте milý milá vážený vážená kära hej kære kjære hyvä sevgili sayın`),
);

/** Words that follow a greeting or a title but are not names, in lowercase. */
const noNames = new Set(
  listOf(`sir madam sirs madams all team everyone friends colleagues customer customers client clients partner
    partners guest guests members member reader readers applicant editor hiring manager committee board support service
    world again there damen herren kollegen kolleginnen kollege kollegin kunde kundin kunden kundinnen freunde freund gäste
    geehrte geehrter geehrtes geschätzte nachbarn eltern mitglieder leser präsident präsidentin minister ministerin direktor
    direktorin bürgermeister bürgermeisterin richter richterin doktor professor kanzler kanzlerin vorsitzender vorsitzende
    monsieur madame messieurs mesdames client cliente clients clientes collègue collègues ami amis tous toutes président
    présidente maire juge directeur directrice ministre équipe voisins señor señora señores señoras colega colegas amigo amiga
    amigos equipo todos cliente clienti cortesi presidente direttore direttrice collega colleghi amici signori signore signora
    team tutti senhor senhora senhores senhoras equipe heer mevrouw mijnheer klant klanten collega's vrienden relatie lezer
    bewoner team iedereen господа коллеги клиент клиенты друзья покупатель директор президент господин госпожа министр профессор
    الوزير الرئيس المدير الأمين النائب السفير المحافظ القاضي العميل رئيس وزير مدير أمين نائب سفير محافظ premier prezes dyrektor prezydent burmistrz przewodniczący przewodnicząca beispiel zeit glück mosque mosquée moschee redaktora dyrektora protector protecteur député députée sénateur commissaire rapporteur conseiller müşterimiz müdür başkan bakan müdürüm president
    chairman chairwoman chair director minister mayor judge general chancellor speaker secretary ambassador senator governor
    grüße grüßen regards street road station airport university park school hospital bridge church college institute hotel
    january february march april may june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag
    samstag sonntag gmbh ag inc ltd llc corp sa spa srl bv nv kg ohg co ооо the der die das le la les el los il lo o os de
    het een we i ich wir sie er es you he she they it ihr ihre mein meine je nous vous il elle ils yo usted nosotros io noi
    lei eu nós você ik wij u jij я мы вы он она они a an and und et y e en и or oder ou o of be as when just not have has this
    that with my me most ever so but if to in on at by is are was will's sent agreement treaty empire emperor imperio games
    olympic olympics show cup news convention center centre company corporation navy army force circuit administration
    administrations committee stage city health department unit services securities coordinator consultant counsel senior
    cooperation delta river ocean sea island islands mountain hills harbor harbour oblast district region county province republic kingdom unido`),
);

/** Words of the list of given names that stand for something else nearly always, in lowercase. */
const noGiven = new Set(
  listOf(`north south east west nord sud norte sur royal golden major star summer winter early over per darin film art sport
    red green white black reino mar mare santa villa corona canal rand nine asia africa áfrica america américa job well anyway
    candy love stay name price roman regie reha nils marine asia-pacific apollo-era franco-monegasque forest nile kenya odessa
    zion siri raleigh ridge harley-davidson israel chad cuba india santiago press wash wirt rada memorial
    van noble training aby ale alla alone andra ante bon case che con dann davon delle dessa deste dies durante eben einer eller elle
    era esta etter even fine hence hoy inna juste less long mal male mas mine mio mir my nada nas nel nell nella nelle nello nova oto
    pero primo quarto secondo segundo sem sie sim son tal terzo tre ty ultimo una uno us vara vive över`),
);

/** Particles inside of a name. */
const particles = new Set(
  listOf(`von van vom zu zum zur der den dem de da do dos das di del della dello dei degli du des la las le los el al bin ibn bint
    ten ter te 't y e i af av til san st d' v d`),
);

/** Labels whose value is a name, and words of letters after which the next line is a name. */
const labels =
  /(?:^|[\n;|•(])[ ]*(?:(?:full |first |last |given |family |middle |contact |customer |client |patient |employee |account |tenant |applicant |your )?name|surname|contact(?: person)?|kontakt|contacto|contatto|contato|attn\.?|attention|patient|employee|applicant|tenant|customer|signed|from|to|cc|author|vorname|nachname|familienname|zuname|kunde|kundin|mieter(?:in)?|ansprechpartner(?:in)?|z\. ?hd\.?|patient(?:in)?|von|an|absender|empfänger|nom(?: de famille)?|prénom|nom et prénom|patient(?:e)?|destinataire|expéditeur|à l'attention de|nombre(?: y apellidos)?|apellidos?|paciente|titular|destinatario|remitente|nome(?: completo)?|cognome|nome e cognome|paziente|intestatario|mittente|sobrenome|apelido|paciente|destinatário|remetente|naam|voornaam|achternaam|patiënt|t\.a\.v\.|afzender|имя|фамилия|отчество|фио|ф\.и\.о\.|пациент|клиент|кому|от кого|imię|nazwisko|imię i nazwisko|jméno|příjmení|namn|navn|nimi|ad[ıi]|soyad[ıi]|име|姓名|名前|氏名|성명|이름|الاسم|नाम)(?: \([^)\n]{0,20}\))?[ ]?[:：][ ]*|(?:^|\n)[> ]*(?:\p{L}{2,20}-){1,3}by: /giu;

const closings =
  /(?<=^|\n|[ ,](?!love|thank|cheers|regards\n[^\n]* |ihre?|euer|eure|deine?))(?:yours(?:,? (?:very|ever|most))?,? (?:truly|faithfully|sincerely|respectfully|affectionately)[\p{L} ]{0,30}|sincerely(?: yours)?|(?:very )?respectfully(?: yours| submitted)?|regards|best wishes|all the best|cheers|cordially|love|thank you|thanks|grüßen?|gruß|hochachtungsvoll|herzlichst|ihre?|euer|eure|dein|deine|cordialement|salutations(?: distinguées)?|sincèrement|amicalement|bien à vous|atentamente|saludos(?: cordiales)?|un saludo|un abrazo|cordialmente|saluti|cordiali saluti|distinti saluti|un saluto|atenciosamente|cumprimentos|abraços|com os melhores cumprimentos|met vriendelijke groete?n?|vriendelijke groet(?:en)?|hoogachtend|groetjes?|с уважением|с наилучшими пожеланиями|искренне ваш|z poważaniem|pozdrawiam|s pozdravem|med vänliga hälsningar|med venlig hilsen|med vennlig hilsen|ystävällisin terveisin|saygılarımla)[,.!]?[ ]*\n[\s(]{0,4}(?:(?:sd|s)\/-?\s*|\/s\/\s*|gez\.\s*|i\. ?[av]\.\s*)?/giu;

/** The lines before a quoted mail, up to the name, and the place of a name before its address: “Jo Doe <jo@example.org>”. */
const mails =
  /(?:^|\n)[> ]*(?:on|am|le|el|il|em|op) [^\n]{4,50}?(?:, |schrieb )(?=\p{Lu}[^\n,:]{1,60}(?:wrote|a écrit|escribió|ha scritto|escreveu|het volgende geschreven)? ?:)|(?<=^|[\n,:;>] ?)(?=\p{Lu}[\p{L}'.-]{0,40}(?: \p{L}[\p{L}'.-]{0,40}){0,4} [<(][^\s<>@]{1,64}@)/giu;

/** Words that introduce a person by name, in the middle of a sentence. In German, any noun can follow a relative. */
const introductions = new RegExp(
  String.raw`(?<!\p{L})(?:${[
    "my (?:full )?name is|mein name ist|ich heiße|je m'appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|o? ?meu nome é|chamo-me|me chamo|ik heet|mijn naam is|меня зовут|моё имя",
    'nazywam się|mam na imię|jmenuj[iu] se|zovem se|jag heter|mitt namn är|jeg h(?:eter|edder)|mitt? navn er|nimeni on|nevem|mă numesc|mă cheamă|numele meu este|мене зв(?:ати|уть)|με λένε|ονομάζομαι|το όνομά μου είναι|benim (?:adım|ismim)|nama saya|tôi tên là|tên tôi là',
    '(?:my|his|her|our|your|their) (?:late |dear |beloved |elder |eldest |older |younger |youngest |little |former |new |good |old )?(?:wife|husband|spouse|partner|fiancée?|son|daughter|brother|sister|cousin|nephew|niece|grandson|granddaughter|grandmother|grandfather|friend|colleague|neighbou?r|roommate|assistant|attorney|lawyer|landlord|tenant)',
    '(?:mon|ma|son|sa|notre|votre|leur) (?:cher |chère |jeune |petit |petite )?(?:femme|mari|épouse|époux|fils|fille|frère|sœur|cousine?|neveu|nièce|amie?|collègue|voisine?|avocate?)',
    '(?:mi|su|tu|nuestr[oa]) (?:esposa|esposo|mujer|marido|hij[oa]|herman[oa]|prim[oa]|sobrin[oa]|amig[oa]|colega|vecin[oa]|abogad[oa])',
    '(?:mio|mia|suo|sua|nostro|nostra) (?:moglie|marito|figli[oa]|fratello|sorella|cugin[oa]|nipote|amic[oa]|collega|vicin[oa]|avvocato)',
    '(?:meu|minha|seu|sua|nosso|nossa) (?:esposa|marido|mulher|filh[oa]|irmã|irmão|prim[oa]|sobrinh[oa]|amig[oa]|colega|vizinh[oa]|advogad[oa])',
    '(?:mijn|zijn|haar|onze|uw|jouw) (?:vrouw|man|echtgenote|echtgenoot|zoon|dochter|broer|zus|neef|nicht|vriend|vriendin|collega|buurman|buurvrouw|advocaat)',
    '(?:мо[йя]|мою|моего|моей|наш|наша|ваш|ваша|его|её) (?:жен[ауы]|муж[а]?|сын[а]?|дочь|дочери|брат[а]?|сестр[ауы]|друг[а]?|подруг[ау]|коллег[ау]|сосед[а]?)',
  ].join('|')})[ ]`,
  'giu',
);

/** The line before a quoted mail without its time: “Jo Doe wrote:”. */
const quotes =
  /(?:^|\n)[> ]*(?=\p{L}[\p{L}'.-]{0,40}(?: \p{L}[\p{L}'.-]{0,40}){1,3} (?:wrote|writes|schrieb|schreibt|a écrit|escribió|ha scritto|escreveu|schreef|писал|писала|пишет) ?:)/gu;

interface Word {
  text: string;
  start: number;
  end: number;
  /** Whether a dot follows, as after a title or an initial. */
  isDotted: boolean;
}

/** Yields names of persons: behind titles, salutations, labels and closings, and with a known given name. */
export function* findNames(text: string): Generator<Entity> {
  const all = wordsOf(text);
  const indexAt = new Map(all.map(({ start }, index) => [start, index]));
  for (const pattern of [labels, closings, mails, introductions, quotes])
    for (const { index, 0: match } of text.matchAll(pattern)) {
      const first = indexAt.get(index + match.length);
      if (first === undefined) continue;
      const { next, gender } = skipTitles(text, all, first);
      yield* nameAt(text, all, next, gender);
      if (pattern === labels) yield* namesAfter(text, all, next, 2);
    }
  for (let at = 0; at < all.length; at++) {
    const { next, gender } = skipTitles(text, all, isGreeting(text, all[at]!) ? at + 1 : at);
    if (next > at) {
      yield* nameAt(text, all, next, gender, isTitle(all[next - 1]!));
      if (plurals.has(all[next - 1]!.text.toLowerCase())) yield* namesAfter(text, all, next, 1);
      continue;
    }
    if (isInitial(text, all, at)) {
      yield* nameAt(text, all, at, undefined);
      continue;
    }
    if (!isGiven(text, all, at)) continue;
    const name = lengthOfName(text, all, at);
    yield* nameAt(text, all, at, undefined);
    at += Math.max(0, name - 1);
  }
  yield* signatures(text, all, indexAt);
  yield* patronymics(text, all);
  yield* withHonorifics(text);
}

/** Yields the further names of a list, each with so many words or more. */
function* namesAfter(text: string, all: readonly Word[], first: number, least: number): Generator<Entity> {
  let at = first;
  for (let names = 0; names < 50; names++) {
    const last = at + lengthOfName(text, all, at) - 1;
    const next = conjunctions.has(all[last + 1]?.text.toLowerCase() ?? '') ? last + 2 : last + 1;
    if (last < at || !all[next] || lengthOfName(text, all, next) < least) return;
    if (!/^[,;&/ ]{1,3}$/.test(text.slice(all[last]!.end, all[last + 1]!.start))) return;
    yield* nameAt(text, all, next, undefined);
    at = next;
  }
}

/** Words before a name, not before the end of a sentence or the number of a heading: “by E. Fermi”, not “vitamin C. Fermi”. */
const beforeInitial =
  /(?:[,(;]|(?<!\p{L})(?:by|and|with|from|to|for|of|that|von|und|mit|für|an|par|et|avec|pour|de|à|por|y|con|para|e|con|da|per|com|van|met|voor))[ \n]$/iu;

/** Whether a word is an initial before a surname: “J. R. Smith” anywhere, “E. Fermi” only behind some words. */
function isInitial(text: string, all: readonly Word[], at: number): boolean {
  const [word, second, third] = [all[at]!, all[at + 1], all[at + 2]];
  if (!isInitialWord(word) || !second) return false;
  const isSurname = (one: Word | undefined) => one !== undefined && /^\p{Lu}\p{L}*\p{Ll}{2}/u.test(one.text);
  if (isInitialWord(second) && isSurname(third))
    return !noInitials.has(word.text + second.text) && lengthOfName(text, all, at) > 2;
  return (
    isSurname(second) &&
    beforeInitial.test(text.slice(Math.max(0, word.start - 8), word.start)) &&
    lengthOfName(text, all, at) > 1
  );
}

/** The lines at the end of a letter that can have its signature. */
const signatureLines = 8;

/** Yields the lines at the end of a letter that are a name at sight: “Sullivan Ballou”, “A. Lincoln”. */
function* signatures(
  text: string,
  all: readonly Word[],
  indexAt: ReadonlyMap<number, number>,
): Generator<Entity> {
  let from = text.length;
  for (let lines = 0; lines < signatureLines && from > 0; lines++) from = text.lastIndexOf('\n', from - 1);
  const greeting = all.find((word) => isGreeting(text, word));
  if (!greeting) return;
  from = Math.max(from, greeting.end);
  for (const { index, 0: line } of text.slice(from).matchAll(/(?<=\n) *\(?\p{Lu}[^\n]{2,50}$/gmu)) {
    const start = from + index + line.search(/\p{Lu}/u);
    const first = indexAt.get(start);
    if (first === undefined) continue;
    const length = lengthOfName(text, all, first);
    const end = all[first + length - 1]?.end ?? start;
    const isLast = /^[.,)]* *$/.test(text.slice(end, from + index + line.length));
    if (length > 1 && length < 5 && isLast) yield* nameAt(text, all, first, undefined);
  }
}

/** Returns the words of a text, without the ending of “Doe's”. */
function wordsOf(text: string): Word[] {
  return [
    ...text.matchAll(
      /\p{L}[\p{L}\p{M}]{0,40}(?:(?!'[sS](?!\p{L}))['-]\p{L}[\p{L}\p{M}]{0,40}){0,4}(?:\.ssa|\.ra)?/gu,
    ),
  ].map(({ index, 0: word }) => ({
    text: word,
    start: index,
    end: index + word.length,
    isDotted: text[index + word.length] === '.',
  }));
}

function isGreeting(text: string, { text: word, start }: Word): boolean {
  if (!greetings.has(word.toLowerCase())) return false;
  const before = text.slice(Math.max(0, start - 12), start);
  return /^[\s"'«„“(>*-]*(?:my (?:very |own )?)?$/i.test(before.slice(before.lastIndexOf('\n') + 1));
}

/** Returns the first word behind titles, and their gender. */
function skipTitles(
  text: string,
  all: readonly Word[],
  from: number,
): { next: number; gender: Gender | undefined } {
  let next = from;
  let gender: Gender | undefined;
  for (let word = all[next]; word && next < from + 5; word = all[++next]) {
    const lower = word.text.toLowerCase();
    if (next > from && word.isDotted && degrees.has(lower)) continue;
    if (!titles.has(lower) || (dotted.has(lower) && !(word.isDotted || /^\p{Lu}\p{Ll}/u.test(word.text))))
      break;
    // DNA is no Romanian title, “me.” ends a sentence, and “p.m.” is a time.
    if (
      word.text === 'DNA' ||
      word.text === 'me' ||
      /\p{L}\.$/u.test(text.slice(Math.max(0, word.start - 2), word.start))
    )
      break;
    if (lower.length < 3 && !word.isDotted && /^\p{Ll}/u.test(word.text)) break;
    if (!/^\.? ?(?:["“”„«»‘’'‹›([{<*_~]{0,3}|[«‹] )$/.test(text.slice(word.end, all[next + 1]?.start))) break;
    gender ??= titles.get(lower);
  }
  return { next, gender };
}

const isInitialWord = ({ text, isDotted }: Word) => isDotted && /^\p{Lu}$/u.test(text);
const isLoud = (word: string) => word.length > 1 && word === word.toUpperCase();
const isAcronym = (word: string) => word.length < 5 && isLoud(word) && /^\p{Lu}/u.test(word);
const isCapital = (word: string) => /^(?:\p{Lu}|\p{Lo})/u.test(word) || /^[dl]'\p{Lu}/u.test(word);

/** Whether a particle at the start of a name is followed by a surname: “van der Berg”. */
const beginsSurname = (all: readonly Word[], at: number) =>
  [all[at + 1], all[at + 2], all[at + 3]].some((word) => word !== undefined && isCapital(word.text));

/** Articles and contractions with them that are in a name behind another particle only: “von der”, not “Anna zum Kampf”. */
const inside = new Set(listOf('der dem des die zum zur vom'));

const joinsSurname = (all: readonly Word[], at: number) => {
  const { text } = all[at]!;
  return !inside.has(text) || particles.has(all[at - 1]!.text.toLowerCase());
};

/** Returns the number of words of the name that begins with a word; 0 for no name. */
function lengthOfName(text: string, all: readonly Word[], first: number): number {
  let length = 0;
  for (let at = first; at < all.length && at - first < 6; at++) {
    const word = all[at]!;
    if (at > first) {
      const previous = all[at - 1]!;
      const gap = text.slice(previous.end, word.start);
      // An initial, or a title such as “Jr.”, has a dot.
      if (
        gap !== ' ' &&
        !(gap === '. ' && previous.text.length <= 2) &&
        !(gap === '.' && previous.text.length === 1)
      )
        break;
    }
    const lower = word.text.toLowerCase();
    if (particles.has(lower) && (at > first ? joinsSurname(all, at) : beginsSurname(all, at))) {
      if (isCapital(word.text) && lower.length > 1) length = at - first + 1;
      continue;
    }
    if (
      !isCapital(word.text) ||
      (noNames.has(lower) && !isInitialWord(word)) ||
      (at > first && civil.has(lower)) ||
      (at > first && isAcronym(word.text) && !isLoud(all[first]!.text))
    )
      break;
    // Scripts without capitals: a given name and a surname at most.
    if (/^\p{Lo}/u.test(word.text) && length >= 2) break;
    length = at - first + 1;
  }
  return length;
}

function* nameAt(
  text: string,
  all: readonly Word[],
  first: number,
  gender: Gender | undefined,
  isTitled = false,
): Generator<Entity> {
  const length = lengthOfName(text, all, first);
  if (length === 0 || (!isTitled && isUsual(all.slice(first, first + length)))) return;
  // “M.A.”, “le directeur général de l'Agence”
  if (length === 1 && all[first]!.text.length === 1 && /^\p{Script=Latin}/u.test(all[first]!.text)) return;
  // “Monsieur le Député”, unlike “Monsieur Le Pen”
  if (/^(?:du |des |del? l'|l[ae]s? )/.test(text.slice(all[first]!.start, all[first]!.start + 6))) return;
  const start = all[first]!.start;
  const known = givenNames.get(nameForm(all[first]!.text))?.gender;
  const own = gender ?? known;
  yield { kind: 'names', start, end: all[first + length - 1]!.end, ...(own && { gender: own }) };
}

/** Whether a word is a title, and no other word. */
const isTitle = ({ text, isDotted }: Word) =>
  titles.has(text.toLowerCase()) && (isDotted || !dotted.has(text.toLowerCase()));

/** Whether all words are usual ones: “Thanks. This is”. */
const isUsual = (words: readonly Word[]) =>
  words.every(({ text }) => isCommonWord(text) && !givenName(text)) || words[0]!.text === 'I';

/** Returns a name with one capital, as in the list. */
function nameForm(word: string): string {
  return isLoud(word) ? word[0] + word.slice(1).toLowerCase() : word;
}

/** Cases of Slavic given names: Анне, Павла, Annie. */
const endings = ['', 'а', 'я', 'й', 'ь'];

function givenName(word: string): GivenName | undefined {
  const form = nameForm(word);
  const [head] = form.split('-');
  if (noGiven.has(form.toLowerCase()) || noGiven.has(head!.toLowerCase())) return undefined;
  const known = givenNames.get(form) ?? givenNames.get(head!);
  if (known || !/^\p{Script=Cyrillic}/u.test(form)) return known;
  const stem = form.replace(/(?:ой|ей|ом|ем|ём|ою|ею|[уюаяеиыійь])$/u, '');
  if (stem.length < 3) return undefined;
  return endings.map((ending) => givenNames.get(stem + ending)).find((name) => name !== undefined);
}

/**
 * Returns the part of a name over a line break that is one: “Mr. John | Doe came”, but not “Mr. John Doe | Manager”.
 * @param text a text whose lines are joined
 * @param from the place of the first line break in the name
 */
export function nameOver(text: string, { start, end }: Entity, from: number): number | null {
  const head = wordsOf(text.slice(start, from));
  const tail = wordsOf(text.slice(from, end)).map((word) => ({ ...word, end: from + word.end }));
  const last = head.at(-1);
  const surname = tail.find(({ text: word }) => !particles.has(word.toLowerCase()));
  if (!last || !surname) return null;
  const isOpen = particles.has(last.text.toLowerCase()) || isInitialWord(last);
  if (head.length > 1 && !isOpen) return null;
  const lower = surname.text.toLowerCase();
  if (isCommonWord(lower) || noNames.has(lower) || greetings.has(lower) || titles.has(lower)) return null;
  const isGreeted = /(?:^|\n)\p{L}+ $/u.test(text.slice(Math.max(0, start - 14), start));
  const isAlone = /^ *(?:\n|$)/.test(text.slice(surname.end));
  if (isGreeted && !isAlone && !/^[,:!]/.test(text.slice(surname.end))) return null;
  return isOpen || !isAlone || isGivenName(last.text) ? surname.end : null;
}

/** Whether a word is in the list of given names. */
export const isGivenName = (word: string): boolean => givenName(word) !== undefined;

/** Whether a given name is also a word or a place. */
export const isCommonName = (word: string): boolean => givenName(word)?.isWord === true;

/** Whether a word is a given name here: one that is also a word needs a surname. */
function isGiven(text: string, all: readonly Word[], at: number): boolean {
  const word = all[at]!;
  if (!isCapital(word.text)) return false;
  const name = givenName(word.text);
  if (!name || noNames.has(word.text.toLowerCase()) || greetings.has(word.text.toLowerCase())) return false;
  const loud = isLoud(word.text);
  // ENA, unless all is in capitals
  if (isAcronym(word.text) && !(all[at + 1] && isLoud(all[at + 1]!.text) && !isAcronym(all[at + 1]!.text)))
    return false;
  if (!name.isWord && !loud && word.text.length > 2) return true;
  if (/\d ?$/.test(text.slice(Math.max(0, word.start - 2), word.start))) return false;
  const next = all[at + 1];
  return (
    next !== undefined &&
    (isCapital(next.text) || /^(?:van|von|ter|ten|bin|ibn)$/.test(next.text)) &&
    lengthOfName(text, all, at) > 1 &&
    !(loud && name.isWord)
  );
}

/** Yields Russian and Ukrainian names with a patronymic. */
function* patronymics(text: string, all: readonly Word[]): Generator<Entity> {
  for (const [at, { text: word }] of all.entries()) {
    if (
      !/^\p{Lu}\p{L}{3,}(?:ович|евич|йович|ьич|овна|евна|ична|івна|ївна)(?:а|у|ем|е|ы|ой|і)?$/u.test(
        word.replace(/(?:вн|чн)(?:ы|е|у|ой|і)$/u, (end) => `${end.slice(0, 2)}а`),
      )
    )
      continue;
    let first = at;
    while (
      first > 0 &&
      at - first < 2 &&
      text.slice(all[first - 1]!.end, all[first]!.start) === ' ' &&
      /^\p{Lu}/u.test(all[first - 1]!.text) &&
      !titles.has(all[first - 1]!.text.toLowerCase())
    )
      first--;
    const last = first + Math.max(lengthOfName(text, all, first), at - first + 1) - 1;
    yield {
      kind: 'names',
      start: all[first]!.start,
      end: all[last]!.end,
      gender: /на$|ны$|не$|ну$|ной$/u.test(word) ? 'f' : 'm',
    };
  }
}

const chineseSurnames =
  '王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘蔡蒋蔣余于杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫雷侯龙龍史陶黎贺賀顾顧毛郝龚邵万钱錢严武戴莫孔向汤';

const honorifics = [
  new RegExp(`([${chineseSurnames}]\\p{Script=Han}{0,2})(?=先生|女士|小姐|太太)`, 'gu'),
  /(?<![\p{Script=Han}\p{Script=Katakana}])([\p{Script=Han}]{2,5}|[\p{Script=Katakana}ー・]{2,12})(?= ?(?:様|さま|さん|氏|殿|先生))(?<!客|皆|各位|業者|神)/gu,
];

/** Yields Chinese and Japanese names before a title. */
function* withHonorifics(text: string): Generator<Entity> {
  for (const pattern of honorifics)
    for (const { index: start, 0: name } of text.matchAll(pattern))
      yield { kind: 'names', start, end: start + name.length };
}
