import { type LanguageCode, languageName } from '#server/languages.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { critical, type TextPair, withoutCode, word } from './text-pair.ts';

const scripts = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Arabic',
  'Devanagari',
  'Thai',
  'Hangul',
  'Kana',
  'Han',
  'Other',
] as const;

/** A script of the supported languages; all others are `Other`. */
export type Script = (typeof scripts)[number];

/**
 * The number of Latin letters that one letter of the script counts as. This makes the lengths of translations into 35
 * languages comparable.
 */
const weights: Partial<Record<Script, number>> = { Han: 3.5, Hangul: 2.3, Kana: 1.6, Arabic: 1.2 };

export function letterWeight(script: Script): number {
  return weights[script] ?? 1;
}

/**
 * The first and last code unit of each range of letters, in ascending order. Digits, marks and punctuation are outside
 * of the ranges.
 */
const ranges: readonly (readonly [first: number, last: number, script: Script])[] = [
  [0x41, 0x5a, 'Latin'],
  [0x61, 0x7a, 'Latin'],
  [0xc0, 0xd6, 'Latin'],
  [0xd8, 0xf6, 'Latin'],
  [0xf8, 0x2af, 'Latin'],
  [0x370, 0x373, 'Greek'],
  [0x37b, 0x37d, 'Greek'],
  [0x386, 0x386, 'Greek'],
  [0x388, 0x3ff, 'Greek'],
  [0x400, 0x481, 'Cyrillic'],
  [0x48a, 0x52f, 'Cyrillic'],
  [0x531, 0x556, 'Other'],
  [0x561, 0x587, 'Other'],
  [0x5d0, 0x5ea, 'Other'],
  [0x620, 0x64a, 'Arabic'],
  [0x66e, 0x6d3, 'Arabic'],
  [0x6fa, 0x6fc, 'Arabic'],
  [0x710, 0x74f, 'Other'],
  [0x750, 0x77f, 'Arabic'],
  [0x780, 0x89f, 'Other'],
  [0x8a0, 0x8c9, 'Arabic'],
  [0x904, 0x939, 'Devanagari'],
  [0x958, 0x961, 'Devanagari'],
  [0x971, 0x97f, 'Devanagari'],
  [0x980, 0xdff, 'Other'],
  [0xe01, 0xe30, 'Thai'],
  [0xe32, 0xe33, 'Thai'],
  [0xe40, 0xe45, 'Thai'],
  [0xe81, 0xeff, 'Other'],
  [0xf00, 0x10ff, 'Other'],
  [0x1100, 0x11ff, 'Hangul'],
  [0x1200, 0x1dff, 'Other'],
  [0x1e00, 0x1eff, 'Latin'],
  [0x1f00, 0x1fff, 'Greek'],
  [0x2c00, 0x2dff, 'Other'],
  [0x3041, 0x3096, 'Kana'],
  [0x30a1, 0x30fa, 'Kana'],
  [0x30fc, 0x30fe, 'Kana'],
  [0x3131, 0x318e, 'Hangul'],
  [0x31f0, 0x31ff, 'Kana'],
  [0x3400, 0x4dbf, 'Han'],
  [0x4e00, 0x9fff, 'Han'],
  [0xa000, 0xabff, 'Other'],
  [0xac00, 0xd7a3, 'Hangul'],
  // Only the first half of a surrogate pair counts; it determines the range of the rarer characters.
  [0xd840, 0xd88d, 'Han'],
  [0xf900, 0xfaff, 'Han'],
  [0xfb50, 0xfdff, 'Arabic'],
  [0xfe70, 0xfefc, 'Arabic'],
  [0xff21, 0xff3a, 'Latin'],
  [0xff41, 0xff5a, 'Latin'],
  [0xff66, 0xff9d, 'Kana'],
];

/** For each code unit of a letter, the index of its script in `scripts` plus one; 0 for all other code units. */
const table = new Uint8Array(0x1_0000);
for (const [first, last, script] of ranges) table.fill(scripts.indexOf(script) + 1, first, last + 1);

/** The weight of each code unit: the script's weight for a letter, 1 for every other visible character. */
const unitWeights = new Float32Array(0x1_0000).fill(1);
for (const [first, last, script] of ranges) unitWeights.fill(letterWeight(script), first, last + 1);
// Code units of weight 0: spaces, marks on letters, and the second half of a surrogate pair.
const weightless = [
  [0, 0x20],
  [0x7f, 0xa0],
  [0x300, 0x36f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x3000, 0x3000],
  [0xdc00, 0xdfff],
];
for (const [first, last] of weightless) unitWeights.fill(0, first, last! + 1);

/** Returns the length of `text` in Latin letters: the sum of the weights of its visible characters. */
export function weightedLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) length += unitWeights[text.charCodeAt(at)]!;
  return length;
}

/**
 * Returns the script of a letter, by its UTF-16 code unit or the first half of its surrogate pair; undefined for
 * everything that is not a letter.
 */
function scriptOf(codeUnit: number): Script | undefined {
  return scripts[table[codeUnit]! - 1];
}

/** Whether a UTF-16 code unit is a letter, or the first half of a letter's surrogate pair. */
export function isLetter(codeUnit: number): boolean {
  return table[codeUnit] !== 0;
}

export function countLetters(text: string): Record<Script, number> {
  const counts = new Uint32Array(scripts.length + 1);
  for (let at = 0; at < text.length; at++) counts[table[text.charCodeAt(at)]!]!++;
  return Object.fromEntries(scripts.map((script, at) => [script, counts[at + 1]!])) as Record<Script, number>;
}

const written: Partial<Record<LanguageCode, readonly Script[]>> = {
  'zh-Hans': ['Han'],
  'zh-Hant': ['Han'],
  ja: ['Han', 'Kana'],
  ko: ['Hangul'],
  ar: ['Arabic'],
  fa: ['Arabic'],
  ur: ['Arabic'],
  ru: ['Cyrillic'],
  uk: ['Cyrillic'],
  hi: ['Devanagari'],
  mr: ['Devanagari'],
  ne: ['Devanagari'],
  th: ['Thai'],
  el: ['Greek'],
};

/** The scripts of a supported language. */
export function scriptsOf(language: string): readonly Script[] {
  return written[language as LanguageCode] ?? ['Latin'];
}

/** Whether the letter at offset `at` is inside a word. False in scripts without spaces. */
export function isInsideWord(text: string, at: number): boolean {
  const script = at > 0 ? scriptOf(text.charCodeAt(at)) : undefined;
  if (
    script === undefined ||
    script === 'Han' ||
    script === 'Kana' ||
    script === 'Hangul' ||
    script === 'Thai'
  )
    return false;
  return scriptOf(text.charCodeAt(at - 1)) === script;
}

/*
 * Frequent Chinese characters that differ between simplified and traditional, except those whose simplified form is
 * also a traditional character (后, 里, 只, 台, 面 ...).
 */
const simplified =
  '这们个来时对说国为过还进现学没种长问题开间见电话车东业产动务员书认记识让请许论设证评试语误读调谁课谈' +
  '发经给结统组织线级红约纪纯纸细终绍继续绩维绝网应广庆库废张强弹归当录彻径总恶悬惊惯愤愿战户扩扫扬护报择' +
  '损换据掷摄携斗断无旧显晓权条杨极构枪标样树桥检楼机杀杂档毁毕气汉汇沟泽洁浅测济浓涛润涨渐温湾湿滚满灭灯' +
  '点炼烂烦热爱爷牵状独狭狮环玛画畅疗疯监盖盘码确础离称积稳穷竞笔筑签简类粮紧纠纷' +
  '习职联肃脑脚脸节艺苏范药获萝营虑虽蚁补装袭规视览觉观触订计训议讯讲访诉译诚详该误资责财贡贫贸费贺赛赞赢' +
  '赵趋跃践轨转轮软轻载较输辑边达迁运远违连迟适选递逻遗邮邻郑酱释针钟钱铁银销锁错镇镜闭闲闻队阳阴阶际陆险' +
  '随隐难页顶项顺须顾顿预领频颗额风飞饭饮馆马驱验骗骤鱼鸟鸡鸣鸿麦黄齐龙龄两严丰临举义乌乐乔买乱争亏亚仅从' +
  '仓仪价众优伙会伟传伤伦伪体侠侦侧俭债倾偿储儿关兴养兽内写军农冲决况冻净减几击划刘则刚创删别剂剑剧劝办' +
  '劳势华协单卖卢卫却厂厅历压厌县参双变叙叶号吗听启员响唤团园围图圆圣场坏块坚坛坝垄垒声处备复够头夸夹夺奋奖' +
  '妇妈娱婴孙宁宝实宠审宪宽宾对寻导寿将尔尘尝层属岁岛币师帅带帮';
const traditional =
  '這們個來時對說國為過還進現學沒種長問題開間見電話車東業產動務員書認記識讓請許論設證評試語誤讀調誰課談' +
  '發經給結統組織線級紅約紀純紙細終紹繼續績維絕網應廣慶庫廢張強彈歸當錄徹徑總惡懸驚慣憤願戰戶擴掃揚護報擇' +
  '損換據擲攝攜鬥斷無舊顯曉權條楊極構槍標樣樹橋檢樓機殺雜檔毀畢氣漢匯溝澤潔淺測濟濃濤潤漲漸溫灣濕滾滿滅燈' +
  '點煉爛煩熱愛爺牽狀獨狹獅環瑪畫暢療瘋監蓋盤碼確礎離稱積穩窮競筆築簽簡類糧緊糾紛' +
  '習職聯肅腦腳臉節藝蘇範藥獲蘿營慮雖蟻補裝襲規視覽覺觀觸訂計訓議訊講訪訴譯誠詳該誤資責財貢貧貿費賀賽贊贏' +
  '趙趨躍踐軌轉輪軟輕載較輸輯邊達遷運遠違連遲適選遞邏遺郵鄰鄭醬釋針鐘錢鐵銀銷鎖錯鎮鏡閉閒聞隊陽陰階際陸險' +
  '隨隱難頁頂項順須顧頓預領頻顆額風飛飯飲館馬驅驗騙驟魚鳥雞鳴鴻麥黃齊龍齡兩嚴豐臨舉義烏樂喬買亂爭虧亞僅從' +
  '倉儀價眾優夥會偉傳傷倫偽體俠偵側儉債傾償儲兒關興養獸內寫軍農衝決況凍淨減幾擊劃劉則剛創刪別劑劍劇勸辦' +
  '勞勢華協單賣盧衛卻廠廳歷壓厭縣參雙變敘葉號嗎聽啟員響喚團園圍圖圓聖場壞塊堅壇壩壟壘聲處備復夠頭誇夾奪奮獎' +
  '婦媽娛嬰孫寧寶實寵審憲寬賓對尋導壽將爾塵嘗層屬歲島幣師帥帶幫';

/** By code unit: 1 for a character that is only simplified, 2 for one that is only traditional. */
const marks = new Uint8Array(0x1_0000);
for (let at = 0; at < simplified.length; at++) {
  const [one, other] = [simplified.charCodeAt(at), traditional.charCodeAt(at)];
  marks[one]! |= 1;
  marks[other]! |= 2;
}

/**
 * Minimum number of characters of the wrong Chinese writing system, and their minimum ratio to those of the right one.
 */
const telling = 4;
const outnumbered = 3;

/**
 * Returns the number of characters of `text` that exist only in simplified Chinese, and the number of those that exist
 * only in traditional Chinese.
 */
export function countStandards(text: string): { hans: number; hant: number } {
  const counts: [number, number, number, number] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) counts[marks[text.charCodeAt(at)]! as 0 | 1 | 2 | 3]++;
  const [, hans, hant] = counts;
  return { hans, hant };
}

/** Returns an issue if Chinese is in the wrong writing system: zh-Hans for zh-Hant or vice versa. */
function variantIssue({ target, targetLang }: TextPair): QualityIssue | undefined {
  if (targetLang !== 'zh-Hans' && targetLang !== 'zh-Hant') return undefined;
  const { hans, hant } = countStandards(target);
  const [right, wrong] = targetLang === 'zh-Hans' ? [hans, hant] : [hant, hans];
  if (wrong < telling || wrong < outnumbered * right) return undefined;
  return critical(
    'locale',
    `The translation is not in ${languageName(targetLang)}, but in the other written standard of the language.`,
    target,
  );
}

/**
 * A translation is in the wrong script if this share of its letters is, or this many letters, by weight. The number for
 * Latin letters is higher, because names often stay in Latin letters.
 */
const mostly = { share: 0.6, weight: 12, latinWeight: 24 };
const inPart = { share: 0.3, weight: 120, latinWeight: 120 };

/**
 * Returns an issue if a translation is in a script that the target language does not use. Words that are unchanged from
 * the source (names, code) do not count, unless they are in the script of the source language.
 */
export function scriptIssue(pair: TextPair): QualityIssue | undefined {
  const expected = scriptsOf(pair.targetLang);
  // The first check is fast, and suffices for most texts.
  if (isWrong(weigh(pair.target, expected))) {
    const kept = scriptsOf(pair.sourceLang).filter((script) => script !== 'Latin');
    if (isWrong(weigh(withoutSourceWords(pair, kept), expected)))
      return critical(
        'accuracy',
        `The translation is not written in the script of its language (${expected.join(' and ')}).`,
        pair.target,
      );
  }
  return kanaIssue(pair) ?? variantIssue(pair);
}

interface Weights {
  right: number;
  /** Weight of the letters in scripts that are neither expected nor Latin. */
  strange: number;
  /** Weight of the Latin letters, if Latin is not expected. */
  latin: number;
}

function weigh(text: string, expected: readonly Script[]): Weights {
  const weights = { right: 0, strange: 0, latin: 0 };
  const counts = countLetters(text);
  for (const script of scripts) {
    const kind = expected.includes(script) ? 'right' : script === 'Latin' ? 'latin' : 'strange';
    weights[kind] += counts[script] * letterWeight(script);
  }
  return weights;
}

function isWrong({ right, strange, latin }: Weights): boolean {
  return [mostly, inPart].some(
    ({ share, weight, latinWeight }) =>
      (strange >= weight || latin >= latinWeight) && strange + latin > share * (right + strange + latin),
  );
}

/** Returns the target without code and without words of the source, except words in one of the `kept` scripts. */
function withoutSourceWords({ target, sourceWords }: TextPair, kept: readonly Script[]): string {
  return withoutCode(target).replace(word, (found) => {
    if (!sourceWords.has(found.toLowerCase())) return found;
    const script = scriptOf(found.charCodeAt(0));
    return script !== undefined && kept.includes(script) ? found : ' ';
  });
}

/**
 * Returns an issue if the translation is Japanese instead of Chinese or vice versa: Chinese has no kana, and longer
 * Japanese texts always have some.
 */
function kanaIssue({ target, targetLang }: TextPair): QualityIssue | undefined {
  const { Kana: kana, Han: han, Hangul: hangul } = countLetters(target);
  if (targetLang.startsWith('zh') && kana >= 6 && 4 * kana > kana + han)
    return critical('accuracy', 'The translation is Japanese, not Chinese.', target);
  if (targetLang === 'ja' && han >= 20 && 20 * kana < han && hangul === 0)
    return critical('accuracy', 'The translation is Chinese, not Japanese.', target);
  return undefined;
}
