import { z } from 'zod';
import type { Services } from '#server/context.ts';
import { AppError, tooLarge } from '#server/errors.ts';

/** The limits of a submission: only an estimate, or a maximum price. */
export interface SubmissionLimits {
  /** Whether the response is an estimate, and no job is created. */
  dryRun: boolean;
  /** The maximum of billable characters of the submission; null without a maximum. */
  maxCharacters: number | null;
}

const highestLimit = 1_000_000_000;

const descriptions = {
  dry_run:
    'Only in requests: if true, the response is an estimate of the work and its price. No job is created, and nothing is translated or billed.',
  max_characters:
    'Only in requests: the maximum number of billable characters of the whole request. If it has more, it is rejected with 413, and nothing is created or billed.',
};

/** The limits of a JSON request. They are not part of the job. */
export const limitFields = {
  dry_run: z.boolean().nullish().describe(descriptions.dry_run),
  max_characters: z.int().min(1).max(highestLimit).nullish().describe(descriptions.max_characters),
};

/** The limits as fields of a form or query. */
export const limitFormFields = {
  dry_run: z.string().max(20).optional().describe(`${descriptions.dry_run} \`true\` or \`false\`.`),
  max_characters: z.string().max(20).optional().describe(descriptions.max_characters),
};

/** Separates the limits of a JSON request from its other fields. */
export function splitLimits<T extends z.infer<z.ZodObject<typeof limitFields>>>({
  dry_run,
  max_characters,
  ...request
}: T): { limits: SubmissionLimits; request: Omit<T, keyof typeof limitFields> } {
  return { limits: { dryRun: dry_run ?? false, maxCharacters: max_characters ?? null }, request };
}

const yes: readonly string[] = ['1', 'true', 'yes'];
const no: readonly string[] = ['', '0', 'false', 'no'];

type LimitForm = z.infer<z.ZodObject<typeof limitFormFields>>;

/** Whether a form asks for an estimate. */
function isDryRun({ dry_run }: Pick<LimitForm, 'dry_run'>): boolean {
  return yes.includes(dry_run?.trim().toLowerCase() ?? '');
}

/**
 * Reads the limits of a form. A value that is not understood is rejected: the caller would be billed for a job that was
 * meant to be an estimate.
 * @throws AppError 400
 */
export function readLimits(form: LimitForm): SubmissionLimits {
  const dryRun = isDryRun(form);
  if (!dryRun && !no.includes(form.dry_run?.trim().toLowerCase() ?? ''))
    throw new AppError('validation_error', 'dry_run must be true or false');
  const most = form.max_characters?.trim() ?? '';
  const maxCharacters = most === '' ? null : Number(most);
  if (maxCharacters !== null && !(/^\d+$/.test(most) && maxCharacters >= 1 && maxCharacters <= highestLimit))
    throw new AppError('validation_error', `max_characters must be a whole number from 1 to ${highestLimit}`);
  return { dryRun, maxCharacters };
}

/** Returns the error for work that exceeds the caller's maximum; null if it does not. */
export function refuseByMaximum(
  { maxCharacters }: Pick<SubmissionLimits, 'maxCharacters'>,
  billableChars: number,
): AppError | null {
  if (maxCharacters === null || billableChars <= maxCharacters) return null;
  return tooLarge('the request has more billable characters than max_characters', {
    limit: maxCharacters,
    actual: billableChars,
    unit: 'characters',
  });
}

/** Rejects a submission before its body is read if translation is disabled. */
export function requireTranslationEnabled({ settings }: Pick<Services, 'settings'>): void {
  if (!settings.TRANSLATION_ENABLED)
    throw new AppError('capability_off', 'translation is temporarily disabled');
}
