import type { FileTranslationRequest, TranslationRequest } from '#sdk/types.ts';

/** The options of a translation, without its languages. An option with an empty text is not set. */
export interface Options {
  tone: string;
  gender: string;
  domain: string;
  textType: 'Plain' | 'Html';
  minQuality: string;
  qualityRounds: string;
  requireReview: boolean;
  /** The names of candidate models, separated by commas. */
  candidateModels: string;
  debateRounds: string;
}

export type OptionName = keyof Options;

export const noOptions: Options = {
  tone: '',
  gender: '',
  domain: '',
  textType: 'Plain',
  minQuality: '',
  qualityRounds: '',
  requireReview: false,
  candidateModels: '',
  debateRounds: '',
};

/** The number of options that are set. @param offered the options that are available */
export function countSet(options: Options, offered: readonly OptionName[]): number {
  return offered.filter((name) => options[name] !== noOptions[name]).length;
}

/** The options that each way to translate supports. */
export const optionsOf = {
  text: Object.keys(noOptions) as OptionName[],
  batch: ['tone', 'gender', 'textType'],
  textFile: [
    'tone',
    'gender',
    'domain',
    'minQuality',
    'qualityRounds',
    'requireReview',
    'candidateModels',
    'debateRounds',
  ],
  document: ['tone', 'gender', 'domain'],
} satisfies Record<string, OptionName[]>;

/** Converts the options to fields of the request for a text. */
export function textFields(
  options: Options,
): Pick<TranslationRequest, 'tone' | 'gender' | 'domain' | 'text_type' | 'metadata'> {
  const { tone, gender, domain } = said(options);
  return { tone, gender, domain, text_type: options.textType, metadata: metadataOf(options) };
}

/** Converts the options to fields of the request for a text file. */
export function fileFields(
  options: Options,
): Pick<FileTranslationRequest, 'tone' | 'gender' | 'domain' | 'metadata'> {
  return { ...documentFields(options), metadata: metadataOf(options) };
}

/** Converts the options to fields of the request for a document. */
export function documentFields(options: Options): { tone?: string; gender?: string; domain?: string } {
  const { tone, gender, domain } = said(options);
  return { ...(tone && { tone }), ...(gender && { gender }), ...(domain && { domain }) };
}

/** Converts the options to fields of a target of a batch. */
export function targetFields(options: Options): { Tone: string | null; Gender: string | null } {
  const { tone, gender } = said(options);
  return { Tone: tone, Gender: gender };
}

/** Tone, gender and domain, without surrounding spaces; null if not set. */
function said({ tone, gender, domain }: Options) {
  return { tone: tone.trim() || null, gender: gender.trim() || null, domain: domain.trim() || null };
}

/** Converts the options to the metadata that the translation pipeline reads. */
function metadataOf({ minQuality, qualityRounds, requireReview, candidateModels, debateRounds }: Options) {
  const models = candidateModels.trim();
  return {
    ...(minQuality !== '' && { min_quality_score: Number(minQuality) }),
    ...(qualityRounds !== '' && { max_quality_loop_retries: Number(qualityRounds) }),
    ...(requireReview && { requires_human_review: true }),
    ...(models && { candidate_models: models }),
    ...(models && debateRounds !== '' && { debate_rounds: Number(debateRounds) }),
  };
}
