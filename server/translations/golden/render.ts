import type { Services } from '#server/context.ts';
import type { TurnScope } from '#server/sandbox/task-queue.ts';
import { sandboxRefusal } from '#server/sandbox-refusal.ts';
import type { FileAnswer } from '#server/trpc.ts';
import type { GoldenFormat, TranslationJob } from '../schema.ts';

/** B 4.1 "Download content types". */
export const goldenTypes = {
  txt: 'text/plain; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
} as const satisfies Record<GoldenFormat, string>;

/** A job's final translation in a format. Shaping and packing run in a child process: they may take seconds. */
export async function renderGolden(
  { fileWork }: Services,
  scope: TurnScope,
  job: TranslationJob,
  format: GoldenFormat,
): Promise<Omit<FileAnswer, 'fileName'>> {
  const text = job.final_translation ?? '';
  const contentType = goldenTypes[format];
  if (format === 'txt') return { bytes: Buffer.from(text), contentType };
  const { target_lang: language, text_type } = job.request;
  const golden = { format, text, markup: text_type === 'Html', language, title: titleOf(job) };
  const bytes = await fileWork.run('render_golden', golden, scope).catch((error: unknown) => {
    throw sandboxRefusal(error);
  });
  return { bytes, contentType };
}

function titleOf({ id, request }: TranslationJob): string {
  const document = request.metadata['source_document'] as { name?: unknown } | undefined;
  return typeof document?.name === 'string' ? document.name : `Translation ${id}`;
}
