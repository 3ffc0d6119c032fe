import { boundedFetch } from '../chat/endpoint-http.ts';
import { failureOf, type Translator, UnsupportedPair } from './translator.ts';

/** The codes of Apertium (ISO 639-3) by ours. */
const codes: Readonly<Record<string, string>> = {
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  de: 'deu',
  it: 'ita',
  'pt-PT': 'por',
  'pt-BR': 'por_BR',
  nl: 'nld',
  ru: 'rus',
  uk: 'ukr',
  pl: 'pol',
  cs: 'ces',
  ro: 'ron',
  sv: 'swe',
  da: 'dan',
  nb: 'nob',
  fi: 'fin',
  hi: 'hin',
  ur: 'urd',
  ar: 'ara',
  tr: 'tur',
  id: 'ind',
  ms: 'zlm',
  mr: 'mar',
  el: 'ell',
  hu: 'hun',
  fa: 'pes',
};

/** Variants that are read like their language. */
const variants: Readonly<Record<string, string>> = { 'pt-BR': 'por', 'fr-CA': 'fra' };

/**
 * Opens a server of Apertium (`apertium-apy`), which translates by rules and needs no key.
 * @param url the address of the server
 */
export function openApertium({ url }: { url: string }): Translator {
  return {
    // A request has one text.
    abilities: { formality: false, context: false, texts: 1, units: 5000 },
    codeOf: (language, role) => (role === 'source' && variants[language]) || codes[language],
    translate: async ({ texts, from, to, isMarkup }, signal) => {
      const response = await boundedFetch(`${url}/translate`, {
        method: 'POST',
        body: new URLSearchParams({
          langpair: `${from}|${to}`,
          q: texts[0]!,
          format: isMarkup ? 'html' : 'txt',
          // Without it, an asterisk marks each word that is not in the dictionary.
          markUnknown: 'no',
        }),
        signal,
      });
      // A proxy may reject the request with a page.
      const read: Promise<unknown> = response.json();
      const body = (await (response.ok ? read : read.catch(() => null))) as {
        explanation?: unknown;
        responseData?: { translatedText?: unknown };
      } | null;
      if (response.status === 400 && body?.explanation === 'That pair is not installed')
        throw new UnsupportedPair();
      if (!response.ok) throw failureOf(response.status, response.headers);
      return [body?.responseData?.translatedText];
    },
  };
}
