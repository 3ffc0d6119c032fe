import { decodeText } from './html/character-references.ts';

/*
 * Code that a translation has and its source lacks. A text may be put into a page, a template or a program that runs what
 * stands between such signs. So a translation may keep the code of its source, but may not have other code.
 */

/** Elements that run code or load a resource, or change how others do. */
const elements =
  'script|style|iframe|frame|frameset|object|embed|applet|base|link|meta|svg|math|form|template|portal';
/** The beginnings of the names of events. */
const events =
  'abort|after|animation|auxclick|before|beforetoggle|blur|bounce|cancel|canplay|change|click|close|command|contentvis|contextmenu|copy|cuechange|cut|dblclick|drag|drop|duration|emptied|ended|error|finish|focus|formdata|fullscreen|gotpointer|hashchange|input|invalid|key|languagechange|load|lostpointer|message|mouse|offline|online|page|paste|pause|play|pointer|popstate|progress|ratechange|reset|resize|scroll|search|securitypolicy|seek|select|show|slotchange|stalled|start|storage|submit|suspend|timeupdate|toggle|touch|transition|unhandled|unload|volumechange|waiting|webkit|wheel|zoom';
/**
 * Browsers ignore tabs and line ends in the name of a scheme, and spaces after it. In prose, as in `JavaScript: The basics`, a
 * word follows the space. In the value of an attribute, everything after the scheme is code.
 */
const scheme = (name: string) => {
  const [first, ...rest] = [...name];
  const written = `${[first, ...rest].join('[\\t\\n\\r]*')}[\\t\\n\\r]*:`;
  // The first letter is before the look at what precedes it, which would otherwise take long in a text of spaces.
  const inValue = written.replace(first as string, `${first}(?<==\\s{0,20}["']?\\s{0,20}${first})`);
  return `${inValue}|${written}(?=\\S|\\s{1,20}[\\w.$!+-]{0,60}[(=;\`[{'"/~])`;
};

const signs = new RegExp(
  [
    // Templates: Handlebars, Jinja, Liquid, Twig, Blade, Smarty, Vue, Angular, MDX with `{{`.
    String.raw`\{\{\{?|\{%|\{#(?=[^{}]{0,500}#\})|\{!!|\{\$`,
    // ERB, EJS, PHP, FreeMarker, server-side includes, Template Toolkit, Thymeleaf, wikis.
    String.raw`<%|<\?(?=[a-z=\s])|<[#@](?=[a-z])|<!--#|<(?:jsp|esi|c):|\[%(?=[^[\]]{0,500}%\])|\[\[`,
    // Template strings, expressions of Java and Velocity, Ruby, Razor and Thymeleaf.
    String.raw`\$!?\{|[#@]\{`,
    // Directives of Svelte, Velocity and Blade.
    String.raw`\{@(?=[a-z])|#(?:set|foreach|include|parse|evaluate)\s*\(|@php\b`,
    `<(?:${elements})(?![\\w-])`,
    `(?<![\\w-])(?:on(?:${events})[a-z]*|srcdoc|formaction)\\s*=(?!=)`,
    // In prose, as in `V-neck.`, no equals sign follows.
    String.raw`(?<![\w-])(?:(?:v|ng|hx)-[a-z-]{1,40}|x-(?:data|init|on|html|bind|effect)|data-bind|on:[a-z]{1,40})[\w.:[\]-]{0,60}\s{0,20}=(?!=)`,
    String.raw`(?:[@*][a-z][\w.:-]{0,60}|\([a-z][\w.]{0,60}\)|\[[a-z][\w.]{0,60}\])=(?=["'])`,
    ...['javascript', 'vbscript', 'livescript'].map(scheme),
    String.raw`(?<!\w)data:\s*(?:text/html|application/xhtml|image/svg|text/xml|application/xml|text/javascript)`,
  ].join('|'),
  'gi',
);

/** The ends of code, by its beginnings. */
const ends: Readonly<Record<string, string>> = {
  ...{ '{{{': '}}}', '{{': '}}', '{%': '%}', '{#': '#}', '{!!': '!!}', '{$': '}' },
  ...{ '<%': '%>', '<?': '?>', '[%': '%]', '${': '}', '$!{': '}', '#{': '}', '@{': '}', '{@': '}' },
};

/** The maximum length of code that is compared as a whole. */
const maxLength = 1000;

const invisible = /\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;
const escapes = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi;

/**
 * Returns the code in a translation that its source lacks, as written, in the order of the text and each once: signs of
 * templates with what stands between them, elements and attributes that run code, and addresses with a scheme that does.
 * Also finds code that appears when character references or escapes are decoded, or invisible characters are removed.
 * Takes time linear in both texts.
 */
export function addedCode(source: string, target: string): string[] {
  const found = codeOf(target);
  if (found.size === 0) return [];
  const known = codeOf(source);
  return [...found].flatMap(([key, written]) => (known.has(key) ? [] : [written]));
}

/** Returns the pieces of code in a text: what identifies them, and how they are written. */
function codeOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const form of formsOf(text))
    for (const { index, 0: sign } of form.matchAll(signs)) {
      const code = form.slice(index, index + sign.length + maxLength);
      const key = keyOf(sign, code);
      if (!found.has(key)) found.set(key, code.slice(0, Math.max(sign.length, 60)).split('\n')[0]!.trim());
    }
  return found;
}

/** Returns a text as written, and as a program may read it. */
function formsOf(text: string): string[] {
  const plain = text.replace(invisible, '');
  const decoded = decodeText(plain);
  const unescaped = decoded.replace(escapes, (written, ...digits: (string | undefined)[]) => {
    const point = Number.parseInt(digits.slice(0, 3).find((one) => one !== undefined)!, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : written;
  });
  return [...new Set([text, plain, decoded, unescaped])];
}

function keyOf(sign: string, code: string): string {
  const end = ends[sign];
  if (end === undefined) return `${sign}${codeAfter(sign, code)}`.toLowerCase().replace(/\s+/g, '');
  const at = code.indexOf(end, sign.length);
  const inside = at < 0 ? undefined : code.slice(sign.length, at);
  // A form of a wiki, such as `{{PLURAL:$1|page|pages}}`, has texts to translate.
  const form = /^\s*#?[A-Z]{2,20}:/.exec(code.slice(sign.length))?.[0];
  if (form) return `${sign}${form.trim()}`;
  if (inside !== undefined && !/[{}]/.test(inside)) return `${sign}${inside.replace(/\s+/g, '')}${end}`;
  // Without its own end, such as the braces of `one {{n} item}` in a message, the first word identifies it.
  return sign + /^\s*[\w.$-]*\s*[^\w\s]?/.exec(code.slice(sign.length))![0].replace(/\s+/g, '');
}

/** The addresses in a tag, and the code in the element `script`. */
const inTag = /^[^>]*/;
const addresses = /[\s"'/](?:src|href|data|code|type)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)/gi;
const script = /^<script(?![\w-])[\s\S]*?<\/script/i;
/** The value of an attribute that runs code, and an address. */
const attributeValue = /^\s*(?:"[^"]*"|'[^']*'|[^\s>]*)/;
const address = /^\s*[^\s"'<>)]*/;

/** Returns what identifies code besides its sign: a translation may not replace the code of its source. */
function codeAfter(sign: string, code: string): string {
  const rest = code.slice(sign.length);
  if (sign.startsWith('<')) {
    const body = script.exec(code)?.[0];
    return body ?? inTag.exec(rest)![0].match(addresses)?.join() ?? '';
  }
  if (sign.endsWith('=')) return attributeValue.exec(rest)![0];
  return sign.includes(':') ? address.exec(rest)![0] : '';
}
