import { z } from 'zod';
import { viewModels } from '#server/operations/models.ts';
import type { ModelsView } from '#server/operations/schema.ts';
import { defineCommand } from '../command.ts';
import { jsonLine, table } from '../printing.ts';

export const models = defineCommand({
  summary:
    'Shows requests, errors, latency, tokens and cost of each model in the last 24 hours, over all processes.',
  parameters: [],
  options: { json: { type: 'boolean', summary: 'one JSON object' } },
  input: z.object({ json: z.boolean().default(false) }),
  async *run(server, { json }) {
    const view = await viewModels(server);
    if (json) yield jsonLine(view);
    else yield* linesOf(view);
  },
});

function linesOf({ mode, hours, models: all }: ModelsView): string[] {
  const stub =
    mode === 'stub' ? ['No model is connected (OPENAI_API_KEY is not set): the stub translates.'] : [];
  if (all.length === 0) return stub;
  const seconds = (value: number | null) => (value === null ? '-' : `${value.toFixed(2)} s`);
  const rows = all.map((of) => [
    of.model,
    of.roles.join(', ') || '-',
    of.modes.join(', ') || '-',
    of.requests,
    of.failed,
    seconds(of.p50_seconds),
    seconds(of.p95_seconds),
    of.input_tokens,
    of.output_tokens,
    of.cost?.toFixed(2) ?? '-',
    of.errors.map(({ kind, requests }) => `${kind} ${requests}`).join(', ') || '-',
  ]);
  const titles = [
    'model',
    'roles',
    'modes',
    'requests',
    'failed',
    'p50',
    'p95',
    'input_tokens',
    'output_tokens',
    'cost',
  ];
  return [
    ...stub,
    ...table([...titles, 'errors'], rows),
    `All processes, the last ${hours} hours; written once a minute.`,
  ];
}
