import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { critical, type TextPair } from './text-pair.ts';

/** A URL with its scheme or `www.`, or a bare host name under a common top-level domain. */
const link =
  /(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"'«»„“”‘’()[\]{}|\\^`。、，]{4,300}|(?<![\w@.-])[a-z0-9-]{2,63}(?:\.[a-z0-9-]{2,63}){0,4}\.(?:com|net|org|info|biz|io|app|dev|xyz|top|shop|store|online|site|club|live|link|click|example)(?![\w-])(?!\.\w)/gi;

/** A link that runs a script or contains a page as data. */
const scriptLink = /(?:javascript|vbscript):|data:text\/html/i;

const address = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g;

function addedAddress(source: string, target: string): string | undefined {
  const addresses = target.match(address) ?? [];
  if (addresses.length <= (source.match(address)?.length ?? 0)) return undefined;
  const known = source.toLowerCase();
  return addresses.find((one) => !known.includes(one.toLowerCase()));
}

/**
 * Returns an issue for a link to a host that the source does not contain, if the translation has more links than the
 * source. A link that replaces another is allowed, such as a link to the page in the target language.
 */
export function addedLinkIssue({ source, target }: TextPair): QualityIssue | undefined {
  const script = target.match(scriptLink)?.[0];
  if (script !== undefined && !scriptLink.test(source))
    return critical('accuracy', 'The translation has a link that runs a program.', script);
  const address = addedAddress(source, target);
  if (address !== undefined)
    return critical('accuracy', 'The translation has an email address that is not in the source.', address);
  const links = target.match(link) ?? [];
  if (links.length === 0 || links.length <= (source.match(link)?.length ?? 0)) return undefined;
  const known = source.toLowerCase();
  const added = links.find((one) => !known.includes(domainOf(one)));
  if (added === undefined) return undefined;
  return critical('accuracy', 'The translation has a link that is not in the source.', added);
}

/** The last two labels of a link's host: `example.org` for `https://www.example.org/en`. */
function domainOf(address: string): string {
  const host = address
    .toLowerCase()
    .replace(/^\w+:\/\//, '')
    .split(/[/?#:]/, 1)[0]!;
  return host
    .split('.')
    .filter((name) => name !== '')
    .slice(-2)
    .join('.');
}

/** How data, markup and code begin. */
const forms: { name: string; begins: RegExp; knownBy?: RegExp }[] = [
  { name: 'JSON', begins: /^\s{0,99}(?:\{\s{0,99}"|\[\s{0,99}["{[\]])/ },
  {
    name: 'HTML',
    begins: /^\s{0,99}<(?:!doctype|!--|\?xml|[a-z][\w-]{0,30}(?:\s[^<>]{0,300})?\/?>)/i,
    // The translation may begin with a tag that the source has further back.
    knownBy: /<[a-z!?]/i,
  },
  { name: 'a block of code', begins: /^\s{0,99}(?:```|~~~)/ },
];

/** Tags of common elements. Other tags, such as `<name>`, may stand for a word. */
const anyTag =
  /<\/?(?:a|b|i|p|u|br|em|div|img|svg|pre|code|font|form|html|body|link|meta|span|style|input|script|iframe|object|strong|button)(?:\s[^<>]{0,300})?\/?>/i;
const knownTag = /<[a-z!?/]/i;

/**
 * Returns an issue if the translation begins with data, markup or code, or contains markup anywhere, and the source
 * does not.
 */
export function foreignFormIssue({ source, target }: TextPair): QualityIssue | undefined {
  const tag = target.match(anyTag)?.[0];
  if (tag !== undefined && !knownTag.test(source))
    return critical('accuracy', 'The translation has markup, but the source has none.', tag);
  const form = forms.find(({ begins, knownBy = begins }) => begins.test(target) && !knownBy.test(source));
  return form && critical('accuracy', `The translation is ${form.name}, but the source is not.`, target);
}

/** Direction overrides and tag characters, which make a text look different from its content. */
const hidden = /[\u202d\u202e\u{e0000}-\u{e007f}]/u;

/**
 * Returns an issue for characters that hide or reorder text, if the source has none. Joiners and direction marks are
 * allowed.
 */
export function hiddenCharactersIssue(sourceText: string, targetText: string): QualityIssue | undefined {
  if (!hidden.test(targetText) || hidden.test(sourceText)) return undefined;
  return critical('accuracy', 'The translation has invisible characters that are not in the source.');
}
