import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { isInsideWord } from './script.ts';
import { critical, readable, type TextPair } from './text-pair.ts';

/*
 * Remarks that models write instead of a translation, or before it; in lower case. `…` matches a few words. In each
 * list, English comes first, then the other supported languages, grouped by script.
 */

/** Phrases within the first words: the model declines to translate. */
const refusals = [
  "i'm sorry, but i can|i am sorry, but i can|sorry, but i can't|sorry, but i cannot|i can't assist|i cannot assist",
  "i can't help with|i cannot help with|i'm unable to|i am unable to|i'm not able to|i cannot fulfill|i can't fulfill",
  "i cannot comply|i can't comply|i can't translate|i cannot translate|i'm sorry, i can't|i won't be able to",
  'tut mir leid, aber ich kann|tut mir leid, ich kann|dabei kann ich nicht helfen|dabei kann ich ihnen nicht helfen',
  'ich kann ihnen dabei nicht helfen|ich kann diese anfrage nicht|ich kann diesen text nicht übersetzen',
  "désolé, mais je ne peux|désolé, je ne peux|je ne peux pas vous aider|je ne peux pas traduire|je ne peux pas t'aider",
  'je ne peux pas répondre à cette demande|je ne suis pas en mesure de vous|je ne suis pas en mesure de traduire',
  'lo siento, pero no puedo|lo siento, no puedo|no puedo ayudar|no puedo traducir|no puedo cumplir con',
  'mi dispiace, ma non posso|mi spiace, ma non posso|non posso aiutar|non posso tradurre|non sono in grado di aiutar|non sono in grado di tradurre',
  'desculpe, mas não posso|sinto muito, mas não posso|lamento, mas não posso|não posso ajudar|não posso traduzir',
  'het spijt me, maar ik kan|sorry, maar ik kan|ik kan daar niet bij helpen|ik kan dit niet vertalen',
  'przykro mi, ale nie mogę|przepraszam, ale nie mogę|nie mogę w tym pomóc|nie mogę przetłumaczyć',
  'omlouvám se, ale nemohu|je mi líto, ale nemohu|bohužel nemohu|s tím nemohu pomoci',
  'îmi pare rău, dar nu pot|ne pare rău, dar nu pot|nu pot să ajut|nu vă pot ajuta',
  'sajnálom, de nem tudok|sajnálom, de ebben nem|sajnos nem tudok|elnézést, de nem',
  'jag är ledsen, men jag kan inte|tyvärr kan jag inte|jag kan inte hjälpa|jag kan inte översätta',
  'beklager, men jeg kan ikke|desværre kan jeg ikke|jeg kan ikke hjælpe|dessverre kan jeg ikke|jeg kan ikke hjelpe',
  'pahoillani, mutta en voi|valitettavasti en voi|pahoittelut, mutta en voi|en voi auttaa',
  'üzgünüm, ancak … emem|üzgünüm, ama … emem|üzgünüm, ancak … amam|üzgünüm, ama … amam|bu konuda yardımcı olamam',
  'xin lỗi, nhưng tôi không thể|xin lỗi, tôi không thể|tôi không thể hỗ trợ|tôi không thể giúp',
  'maaf, tetapi saya tidak|maaf, saya tidak dapat|maaf, saya tidak bisa|saya tidak dapat membantu|saya tidak bisa membantu',
  'λυπάμαι, αλλά δεν μπορώ|συγγνώμη, αλλά δεν μπορώ|δεν μπορώ να βοηθήσω|δεν μπορώ να μεταφράσω',
  'извините, но я не могу|к сожалению, я не могу|простите, но я не могу|я не могу помочь|я не могу перевести',
  'вибачте, але я не можу|на жаль, я не можу|я не можу допомогти|я не можу перекласти',
  'عذرًا، لا أستطيع|عذرا، لا أستطيع|عذرًا، لا يمكنني|عذرا، لا يمكنني|آسف، لا أستطيع|آسف، لكن لا|آسف، ولكن لا',
  'لا أستطيع المساعدة|لا يمكنني المساعدة|لا أستطيع مساعدتك|لا يمكنني مساعدتك|أعتذر، لا يمكنني|أعتذر، ولكن لا',
  'متأسفم، اما نمی … توانم|متأسفانه نمی … توانم|متأسفم، نمی … توانم|نمی‌توانم کمک|نمی‌توانم به شما کمک',
  'معذرت، لیکن میں … نہیں|معذرت، میں … نہیں|میں اس میں مدد نہیں',
  'मुझे खेद है, लेकिन … नहीं|क्षमा करें, लेकिन मैं … नहीं|माफ़ कीजिए, लेकिन मैं … नहीं|मैं इसमें मदद नहीं',
  'माफ करा, पण मी … नाही|क्षमस्व, पण मी … नाही|मी यात मदत करू शकत नाही|माफ गर्नुहोस्, तर म … सक्दिन',
  'ขออภัย … ฉันไม่สามารถ|ขอโทษ … ฉันไม่สามารถ|ขออภัย … ผมไม่สามารถ|ฉันไม่สามารถช่วย',
  '申し訳ありませんが、 … できません|申し訳ございませんが、 … できません|お手伝いできません|お手伝いすることはできません',
  '죄송하지만 … 수 없|죄송합니다만 … 수 없|죄송합니다. … 도와드릴 수 없|도움을 드릴 수 없',
  '抱歉，我无法|对不起，我无法|抱歉，我不能|对不起，我不能|我无法协助|我无法满足|我无法翻译',
  '抱歉，我無法|對不起，我無法|抱歉，我不能|對不起，我不能|我無法協助|我無法翻譯',
];

/** Phrases near the start or the end: the model refers to itself. */
const selfReferences = [
  'as an ai language model|as an ai model|as an ai assistant|as an ai,|as a language model|as a large language model',
  "i am an ai|i'm an ai|i am a large language model|i'm a large language model|i am a language model",
  'als ki-sprachmodell|als ki-modell|als ki-assistent|als sprachmodell|ich bin ein ki-|ich bin eine ki|als ki kann ich',
  "en tant que modèle de langage|en tant qu'ia|en tant qu'intelligence artificielle|en tant qu'assistant ia",
  "en tant que modèle d'ia|je suis une ia|je suis un modèle de langage",
  'como modelo de lenguaje|como modelo de ia|como inteligencia artificial,|como ia,|como asistente de ia',
  'soy un modelo de lenguaje|soy una ia|soy una inteligencia artificial',
  'in quanto modello linguistico|come modello linguistico|in quanto ia|in quanto intelligenza artificiale',
  "sono un modello linguistico|sono un'intelligenza artificiale|come assistente ia",
  'como modelo de linguagem|como um modelo de linguagem|como uma ia|como assistente de ia|sou um modelo de linguagem',
  'sou uma inteligência artificial|enquanto modelo de linguagem|sou uma ia',
  'als ai-taalmodel|als taalmodel|als ai-model|als ai-assistent|ik ben een ai',
  'jako model językowy|jako model ai|jako sztuczna inteligencja|jako asystent ai|jestem modelem językowym',
  'jako jazykový model|jako model umělé inteligence|jako umělá inteligence|jsem jazykový model',
  'ca model lingvistic|ca model de limbaj|ca inteligență artificială|ca asistent ai|sunt un model de limbaj',
  'nyelvi modellként|mesterséges intelligenciaként|ai-asszisztensként|nyelvi modell vagyok',
  'som en ai-språkmodell|som språkmodell|som en språkmodell|som ai-modell|jag är en ai|jag är en språkmodell',
  'som en ai-sprogmodel|som sprogmodel|som en sprogmodel|jeg er en ai|jeg er en sprogmodel|jeg er en språkmodell',
  'som ki-modell|jeg er en ki|som en ki-|som en ai,|tekoälymallina|kielimallina|olen tekoäly|olen kielimalli',
  'bir yapay zeka dil modeli olarak|bir dil modeli olarak|yapay zeka olarak|yapay zekâ olarak|ben bir yapay zek',
  'là một mô hình ngôn ngữ|với tư cách là một ai|tôi là một ai|với tư cách là một trí tuệ nhân tạo|là một trợ lý ai',
  'sebagai model bahasa|sebagai ai,|sebagai kecerdasan buatan|sebagai asisten ai|saya adalah ai|saya ialah ai',
  'ως γλωσσικό μοντέλο|ως μοντέλο τεχνητής νοημοσύνης|ως τεχνητή νοημοσύνη|είμαι ένα γλωσσικό μοντέλο',
  'как языковая модель|как модель ии|как искусственный интеллект|я языковая модель|я искусственный интеллект',
  'будучи языковой моделью|як мовна модель|як модель ші|як штучний інтелект|я мовна модель|будучи мовною моделлю',
  'كنموذج لغوي|كنموذج لغة|بصفتي نموذج|بصفتي مساعد|باعتباري نموذج|أنا نموذج لغوي|بصفتي ذكاء',
  'به عنوان یک مدل زبانی|به‌عنوان یک مدل زبانی|به عنوان یک هوش مصنوعی|من یک مدل زبانی|من یک هوش مصنوعی',
  'ایک زبان کے ماڈل کے طور پر|بطور زبان ماڈل|بطور ai|میں ایک ai|بطور مصنوعی ذہانت',
  'भाषा मॉडल के रूप में|एक एआई के रूप में|एक ai के रूप में|मैं एक ai|मैं एक भाषा मॉडल|भाषा मॉडेल म्हणून|मी एक ai',
  'भाषा मोडेलको रूपमा|एआईको रूपमा|ai को रूपमा|म एक ai',
  'ในฐานะโมเดลภาษา|ในฐานะ ai|ในฐานะที่เป็น ai|ในฐานะปัญญาประดิษฐ์|ในฐานะแบบจำลองภาษา|ฉันเป็น ai',
  'aiとして、|言語モデルとして|aiアシスタントとして|私はai|人工知能として、|aiである私',
  '언어 모델로서|ai로서|인공지능으로서|저는 ai|ai 어시스턴트로서',
  '作为一个人工智能|作为人工智能|作为一个ai|作为ai|作为 ai|作为一个 ai|作为一个语言模型|作为语言模型|我是一个语言模型',
  '作為一個人工智慧|作為人工智慧|作為ai|作為 ai|作為一個語言模型|作為語言模型|身為ai|身為 ai|身為人工智慧|我是一個語言模型',
];

/** Phrases at the very start: the model announces the translation. */
const announcements = [
  "here is the translation|here's the translation|here is the translated|here's the translated|here is your translation",
  'the translation is:|translation:|translated text:|sure, here|sure! here|certainly! here|certainly, here',
  'of course! here|of course, here|the translated text is|below is the translation|the following is the translation',
  'hier ist die übersetzung|hier die übersetzung|übersetzung:|die übersetzung lautet|gerne, hier ist|gerne! hier ist',
  'hier ist der übersetzte|natürlich, hier ist|natürlich! hier ist|voici la traduction|traduction :|traduction:',
  'bien sûr, voici|bien sûr ! voici|voici le texte traduit|la traduction est :|aquí está la traducción|traducción:',
  'aquí tienes la traducción|aquí tiene la traducción|esta es la traducción|claro, aquí|por supuesto, aquí',
  'ecco la traduzione|traduzione:|certo, ecco|certamente, ecco|la traduzione è:|ecco il testo tradotto',
  'aqui está a tradução|segue a tradução|tradução:|claro, aqui está|eis a tradução|aqui está o texto traduzido',
  'hier is de vertaling|vertaling:|natuurlijk, hier|de vertaling is:|oto tłumaczenie|tłumaczenie:|oczywiście, oto',
  'zde je překlad|tady je překlad|překlad:|iată traducerea|traducere:|aceasta este traducerea|traducerea este:',
  'íme a fordítás|itt a fordítás|fordítás:|här är översättningen|översättning:|här kommer översättningen',
  'her er oversættelsen|oversættelse:|her er oversettelsen|oversettelse:|tässä on käännös|tässä käännös|käännös:',
  'işte çeviri|işte çevirisi|çeviri:|đây là bản dịch|bản dịch:|dưới đây là bản dịch|berikut terjemahan|terjemahan:',
  'berikut adalah terjemahan|ini terjemahannya|berikut ialah terjemahan|ορίστε η μετάφραση|μετάφραση:',
  'ακολουθεί η μετάφραση|εδώ είναι η μετάφραση|вот перевод|перевод:|конечно, вот|вот переведенный',
  'ось переклад|переклад:|звичайно, ось|إليك الترجمة|إليكم الترجمة|الترجمة:|ها هي الترجمة|فيما يلي الترجمة',
  'ترجمه:|در اینجا ترجمه|این ترجمه|ترجمہ:|یہ رہا ترجمہ|یہاں ترجمہ|यहाँ अनुवाद|यहां अनुवाद|यह रहा अनुवाद|अनुवाद:',
  'येथे भाषांतर|भाषांतर:|हे भाषांतर|นี่คือคำแปล|คำแปล:|ต่อไปนี้คือคำแปล|นี่คือการแปล',
  '以下が翻訳|以下は翻訳|翻訳：|翻訳:|訳文：|翻訳は以下|こちらが翻訳|다음은 번역|번역:|번역은 다음과|번역 결과:',
  '以下是翻译|翻译如下|翻译：|翻译:|译文：|译文如下|这是翻译|以下是翻譯|翻譯如下|翻譯：|譯文：|譯文如下|這是翻譯',
];

/** Phrases that show that a source itself apologizes or declines. */
const apologies = [
  "sorry|apolog|regret|unable|can't|cannot|can not|can no longer|unfortunately|leider|leid|bedauer|kann nicht|kann ich",
  'désolé|excus|malheureus|ne peux|ne peut|regrett|siento|no puedo|no podemos|disculp|lament|perd|desafortunad',
  'dispiace|spiacent|spiace|non posso|scus|purtroppo|desculp|sinto muito|não posso|infelizmente|helaas|spijt|kan niet',
  'przepraszam|przykro|nie mogę|niestety|omlouv|lituj|líto|nemohu|bohužel|păcate|scuz|rău|nu pot|sajnál|sajnos',
  'bocsán|elnéz|nem tud|ledsen|tyvärr|förlåt|kan inte|beklag|desværre|undskyld|kan ikke|dessverre|unnskyld|valitet',
  'pahoitt|pahoillani|anteeksi|en voi|üzgün|maalesef|özür|amam|emem|xin lỗi|rất tiếc|không thể|maaf|tidak dapat',
  'tidak bisa|sayangnya|συγγ|λυπ|δυστυχ|δεν μπορ|извин|сожал|не могу|не можем|прост|вибач|шкода|жаль|не можу',
  'آسف|عذر|أسف|لا أستطيع|لا يمكن|متأسف|متاسف|نمی|معذرت|افسوس|نہیں|खेद|क्षमा|माफ|नहीं|नाही|सक्दिन|क्षमस्व',
  'ขอโทษ|ขออภัย|เสียใจ|ไม่สามารถ|申し訳|すみません|ごめん|できません|できない|残念|お詫び|죄송|미안|유감|수 없|못',
  '抱歉|对不起|對不起|遗憾|遺憾|无法|無法|不能|不好意思',
];

/** Phrases that show that a source itself is about artificial intelligence. */
const artificialIntelligence = [
  'language model|artificial intelligence|chatbot|chatgpt|sprachmodell|künstliche|modèle de langage|modèle linguistique',
  'intelligence artificielle|modelo de lenguaje|inteligencia artificial|modello linguistico|intelligenza artificiale',
  'modelo de linguagem|inteligência artificial|taalmodel|kunstmatige|model językow|sztuczn|jazykový model|umělá intel',
  'model de limbaj|inteligență artificială|nyelvi modell|mesterséges|språkmodell|sprogmodel|kunstig|tekoäly|kielimall',
  'yapay zek|dil modeli|mô hình ngôn ngữ|trí tuệ nhân tạo|model bahasa|kecerdasan buatan|γλωσσικό μοντέλο|τεχνητή',
  'языков|искусственн|мовн|штучн|نموذج لغ|الذكاء|ذكاء|مدل زبان|هوش مصنوعی|مصنوعی|भाषा मॉ|भाषा मो|कृत्रिम|एआई',
  'โมเดลภาษา|ปัญญาประดิษฐ์|言語モデル|人工知能|언어 모델|인공지능|语言模型|人工智能|語言模型|人工智慧',
];

/** Phrases that show that a source itself is about a translation. */
const translations = [
  'translat|übersetz|traduc|traduz|traduç|traduire|traduit|tradurre|tradott|vertal|tłumacz|překlad|přelož|fordít',
  'översätt|oversæt|oversett|käännö|käännä|çevir|dịch|terjemah|μετάφρα|μεταφρά|перевод|перевед|переклад|перекла',
  'ترجم|अनुवाद|भाषांतर|แปล|翻訳|訳|번역|翻译|翻譯|译|譯',
];

/**
 * UTF-16 units that are searched: the first `opening` for refusals and announcements, the first and last `edge` for
 * phrases in which the model refers to itself.
 */
const opening = 160;
const edge = 1000;

/** Maximum offset of an announcement: "Sure!" or the marks of a heading may precede it. */
const lead = 12;

/**
 * Returns an issue if the translation contains a remark of the model: a refusal, a remark about itself, an
 * announcement. No issue if the source has a similar remark, because the translation of an apology is an apology.
 */
export function refusalIssue({ source, target }: TextPair): QualityIssue | undefined {
  const said = plain(target.slice(0, edge));
  const edges = target.length <= edge ? said : `${said}\n${plain(target.slice(-edge))}`;
  const start = said.slice(0, opening);
  if (finds(refusal, start) && !mentions(apology, source))
    return critical('accuracy', 'The model refused to translate: this text is not a translation.', target);
  if (finds(selfReference, edges) && !mentions(intelligence, source))
    return critical('accuracy', 'The translation mentions an AI model, but the source does not.', target);
  if (finds(announcement, start, lead) && !mentions(translation, source.slice(0, opening)))
    return critical(
      'accuracy',
      'The translation begins with a phrase such as “Here is the translation”, but the source does not.',
      target,
    );
  return undefined;
}

type Phrase = readonly string[];

/** Splits each phrase into its consecutive parts. */
function phrases(lists: readonly string[]): Phrase[] {
  return lists.flatMap((list) => list.split('|').map((phrase) => plain(phrase).split(' … ')));
}

const refusal = phrases(refusals);
const selfReference = phrases(selfReferences);
const announcement = phrases(announcements);
const apology = phrases(apologies);
const translation = phrases(translations);
const intelligence = phrases(artificialIntelligence);

/** The abbreviations of artificial intelligence, as separate words. */
const abbreviation = /(?<![\p{L}\p{M}])(?:ai|ki|ia|si|mi|yz|ии|ші|τν|gpt|llm|bot)(?![\p{L}\p{M}])/u;

function mentions(list: readonly Phrase[], source: string): boolean {
  const text = plain(source);
  return finds(list, text) || (list === intelligence && abbreviation.test(text));
}

/** Whether `text` has one of the phrases that begins at offset `latest` or before. */
function finds(list: readonly Phrase[], text: string, latest = text.length): boolean {
  return list.some(([first, ...rest]) => {
    const start = text.indexOf(first!);
    if (start < 0 || start > latest || isInsideWord(text, start)) return false;
    let end = start + first!.length;
    return rest.every((part) => {
      const at = text.indexOf(part, end);
      end = at + part.length;
      return at >= 0;
    });
  });
}

/**
 * Returns the text in lower case, with plain apostrophes and spaces, and without the marks that begin a quotation, a
 * heading or a list.
 */
function plain(text: string): string {
  return readable(text)
    .toLowerCase()
    .replace(/[’ʼ`]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'«„“¡¿#*_>([-]+/, '');
}
