/**
 * A text to translate, as the core sees it: the fields of a request that change its translation. It knows neither jobs nor
 * documents.
 */
export interface TextRequest {
  source_text: string;
  /** Language codes of `languages.ts`. */
  source_lang: string;
  target_lang: string;
  domain: string | null;
  tone: string | null;
  gender: string | null;
  text_type: 'Plain' | 'Html' | null;
  metadata: Record<string, unknown>;
}
