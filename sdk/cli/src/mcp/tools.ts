import { realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type LinguaLoop, type TranslationJob, version } from '../../../src/index.ts';
import { describeFailure, Failed } from '../command.ts';
import { readSource } from '../commands/files.ts';
import { isApproved } from '../files/document-review.ts';

/** The settings of an MCP server. */
export interface McpOptions {
  client: LinguaLoop;
  /** Files may be read and written in this folder and below; null without access to files. */
  folder: string | null;
  /** Whether the tools that close a review exist. */
  allowApproval: boolean;
  /** The name of the person, for reviews with an API key. */
  reviewer: string | undefined;
}

const language = (what: string) =>
  z.string().max(40).describe(`${what}: a code such as de, fr, pt-BR or zh-Hans.`);
const from = language('The source language').default('en');
const to = language('The target language');
const jobId = z.string().max(100).describe('The ID of the job.');

/** Reading tools change nothing. Nothing here reaches beyond the LinguaLoop service and the folder. */
const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const creates: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const closes: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

/** A text job as the tools return it. */
const job = z.object({
  job_id: z.string(),
  status: z
    .string()
    .describe(
      '`published` or `human_edited` if the translation is final; `awaiting_review` if a person must look.',
    ),
  source_text: z.string(),
  translation: z.string().nullable().describe('Not final while the status is `awaiting_review`.'),
  source_lang: z.string(),
  target_lang: z.string(),
  score: z.number().nullable().describe('The quality score, from 0 to 100.'),
  reasons: z.array(z.string()).describe('The reasons for a review.'),
});

const estimate = z.object({
  characters: z.number(),
  billable_characters: z.number(),
  exact_match_characters: z.number().describe('Served from the translation memory or a glossary.'),
  sentence_match_characters: z
    .number()
    .describe('Made of sentences of the translation memory, also in other typography, and judged.'),
  typography_match_characters: z.number().describe('Those of them that differ in typography only.'),
  fuzzy_match_characters: z.number(),
  review_reasons: z.array(z.string()).describe('The rules that send the translation to a review.'),
  refusal: z.string().nullable().describe('The reason for which the request would be rejected now.'),
});

const document = z.object({
  document_id: z.string(),
  status: z.string().describe('`translated`, `failed`, or a status in between.'),
  progress: z.number().describe('The translated share, from 0 to 1.'),
  needs_review_segments: z.number(),
  approved: z.boolean(),
  error: z.string().nullable(),
});

const waiting = z.object({
  texts: z.array(
    z.object({
      job_id: z.string(),
      target_lang: z.string(),
      score: z.number().nullable(),
      triggers: z.array(z.string()).describe('The reasons, as codes.'),
      source: z.string().describe('The beginning of the source.'),
      translation: z.string().nullable().describe('The beginning of the translation.'),
    }),
  ),
  more: z.boolean().describe('Whether more texts await a review.'),
});

/** Creates a server with the tools. Each connection needs its own server. */
export function createMcpServer(options: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'lingualoop', title: 'LinguaLoop', version },
    {
      instructions:
        'Translates texts and documents with a LinguaLoop service. Use estimate first if the text is long. A translation with the status awaiting_review is not final: tell the person, and do not present it as published.',
    },
  );
  textTools(server, options);
  documentTools(server, options);
  languageTools(server, options);
  reviewTools(server, options);
  return server;
}

function textTools(server: McpServer, { client }: McpOptions): void {
  const text = {
    text: z.string().min(1).max(50_000).describe('The text, at most 50000 characters.'),
    target_lang: to,
    source_lang: from.describe('The source language, or auto. Default: en.'),
    domain: z
      .string()
      .max(1000)
      .optional()
      .describe('The subject, such as legal. Some subjects always need a review.'),
    tone: z.string().max(1000).optional().describe('The register, such as formal.'),
  };
  server.registerTool(
    'translate',
    {
      title: 'Translate a text',
      description:
        'Translates a text, checks its quality, and returns the job. It is billed by the characters of the source.',
      inputSchema: text,
      outputSchema: job.shape,
      annotations: { ...creates, idempotentHint: false },
    },
    (input, { signal }) =>
      answer(async () => jobView(await client.translations.create(requestOf(input), { signal }))),
  );
  server.registerTool(
    'estimate',
    {
      title: 'Estimate a translation',
      description:
        'Returns the price of a translation in characters, its matches in the translation memory, and known reasons for a review. Nothing is translated or billed.',
      inputSchema: text,
      outputSchema: estimate.shape,
      annotations: reads,
    },
    (input, { signal }) =>
      answer(async () => {
        const { characters, billable_characters, review, refusal, ...matches } =
          await client.translations.estimate(requestOf(input), { signal });
        const { exact_matches, sentence_matches, typography_matches, fuzzy_matches } = matches;
        return {
          characters,
          billable_characters,
          exact_match_characters: exact_matches.characters,
          sentence_match_characters: sentence_matches.characters,
          typography_match_characters: typography_matches?.characters ?? 0,
          fuzzy_match_characters: fuzzy_matches.characters,
          review_reasons: review.reasons,
          refusal: refusal?.detail ?? null,
        };
      }),
  );
  server.registerTool(
    'get_translation',
    {
      title: 'Read a translation',
      description: 'Returns the current state of a text job.',
      inputSchema: { job_id: jobId },
      outputSchema: job.shape,
      annotations: reads,
    },
    ({ job_id }, { signal }) =>
      answer(async () => jobView(await client.translations.get(job_id, { signal }))),
  );
}

function requestOf(input: {
  text: string;
  source_lang: string;
  target_lang: string;
  domain?: string | undefined;
  tone?: string | undefined;
}) {
  const { text: source_text, source_lang, target_lang, domain, tone } = input;
  return { source_text, source_lang, target_lang, ...(domain && { domain }), ...(tone && { tone }) };
}

function jobView({ id, status, request, final_translation, agent_run }: TranslationJob): z.infer<typeof job> {
  return {
    job_id: id,
    status,
    source_text: request.source_text,
    translation: final_translation,
    source_lang: request.source_lang,
    target_lang: request.target_lang,
    score: agent_run.quality_gate?.score ?? null,
    reasons: agent_run.quality_gate?.reasons ?? [],
  };
}

function documentTools(server: McpServer, { client, folder }: McpOptions): void {
  server.registerTool(
    'document_status',
    {
      title: 'Read the state of a document',
      description: 'Returns the progress of a document, and the number of segments that need a review.',
      inputSchema: { document_id: jobId },
      outputSchema: document.shape,
      annotations: reads,
    },
    ({ document_id }, { signal }) => answer(() => documentView(client, document_id, signal)),
  );
  if (folder === null) return;
  server.registerTool(
    'translate_document',
    {
      title: 'Translate a document',
      description: `Starts the translation of a file that keeps its layout or syntax, such as a PDF, Word, Excel, PowerPoint, HTML, Markdown, JSON or subtitle file. The file must be in ${folder}. Use document_status until it is translated, then save_document.`,
      inputSchema: {
        path: z.string().max(1000).describe('The path of the file.'),
        target_lang: to,
        source_lang: from.describe('The source language, or auto. Default: en.'),
      },
      outputSchema: document.shape,
      annotations: { ...creates, idempotentHint: false },
    },
    ({ path, target_lang, source_lang }, { signal }) =>
      answer(async () => {
        const file = await readSource({ cwd: folder }, await within(folder, path));
        const { id } = await client.documents.translate(file, { source_lang, target_lang }, { signal });
        return documentView(client, id, signal);
      }),
  );
  server.registerTool(
    'save_document',
    {
      title: 'Save a translated document',
      description: `Writes the latest translation of a document to a new file in ${folder}. An existing file is not replaced.`,
      inputSchema: {
        document_id: jobId,
        file_name: z
          .string()
          .max(240)
          .optional()
          .describe(
            'The name of the new file, with the extension of the document. Default: such as menu.fr.xlsx.',
          ),
      },
      outputSchema: { path: z.string() },
      annotations: { ...creates, idempotentHint: false },
    },
    ({ document_id, file_name }, { signal }) =>
      answer(async () => {
        const download = await client.documents.download(document_id, { signal });
        const name = file_name ?? download.fileName;
        requireSafeName(name, extname(download.fileName));
        await writeNew(join(await realpath(folder), name), await download.bytes());
        return { path: name };
      }),
  );
}

/** Characters that Windows does not allow in names, and characters that break a line or change the text direction. */
const unsafe = /[<>:"|?*\\/\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Names that Windows reserves for devices, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?=\.|$)/i;

/**
 * Rejects what is not a plain name of a document: a path, a hidden file, or another extension. A text that the assistant has
 * read could otherwise have it write a file that a program runs.
 * @throws Failed
 */
function requireSafeName(name: string, extension: string): void {
  const quoted = JSON.stringify(name);
  if (unsafe.test(name)) throw new Failed(`${quoted} is not a plain file name; folders cannot be named`);
  if (/^[.\s~-]|[.\s]$/.test(name) || name === '' || device.test(name))
    throw new Failed(`${quoted} is hidden or reserved on some systems; choose another file name`);
  if (extname(name).toLowerCase() !== extension.toLowerCase())
    throw new Failed(`${quoted} must end with the extension of the document, ${extension}`);
}

/** Writes a file that does not exist, not even as a link. @throws Failed */
async function writeNew(path: string, content: Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Failed(`${basename(path)} already exists, and is not replaced; choose another file name`);
    await rm(path, { force: true });
    throw error;
  }
}

async function documentView(
  client: LinguaLoop,
  id: string,
  signal: AbortSignal,
): Promise<z.infer<typeof document>> {
  const job = await client.documents.get(id, { signal });
  const { status, progress, quality_report, error } = job;
  const quality = quality_report?.metadata['llm_quality'] as { needs_review_units?: number } | undefined;
  const total = progress?.total_segments ?? 0;
  return {
    document_id: id,
    status,
    progress: status === 'translated' ? 1 : total === 0 ? 0 : (progress?.translated_segments ?? 0) / total,
    needs_review_segments: quality?.needs_review_units ?? 0,
    approved: isApproved(job),
    error,
  };
}

/** Returns the absolute path of a file in the folder. @throws Failed if the path, or a link in it, leads out of it */
async function within(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  const target = isAbsolute(path) ? path : resolve(root, path);
  // Links are followed as far as the path exists.
  let existing = target;
  let rest = '';
  let real: string | undefined;
  while (real === undefined) {
    real = await realpath(existing).catch(() => undefined);
    if (real === undefined) {
      rest = join(basename(existing), rest);
      existing = dirname(existing);
    }
  }
  const whole = join(real, rest);
  if (whole !== root && !whole.startsWith(root + sep)) throw new Failed(`${path} is not in ${folder}`);
  return whole;
}

function languageTools(server: McpServer, { client }: McpOptions): void {
  const pair = { text: z.string().min(1).max(10_000), source_lang: from, target_lang: to };
  server.registerTool(
    'search_memory',
    {
      title: 'Search the translation memory',
      description: 'Returns approved and imported translations of the text, and of similar texts.',
      inputSchema: pair,
      outputSchema: {
        matches: z.array(
          z.object({
            source: z.string(),
            target: z.string(),
            similarity: z.number().describe('From 0 to 1.'),
            memory: z.string(),
          }),
        ),
      },
      annotations: reads,
    },
    ({ text, source_lang, target_lang }, { signal }) =>
      answer(async () => {
        const { matches } = await client.memory.matches(
          { source_text: text, source_lang, target_lang },
          { signal },
        );
        return {
          // Corrections that are not approved yet are for people.
          matches: matches
            .filter(({ origin }) => origin !== 'unapproved')
            .map(({ source_text, target_text, score, set_name }) => ({
              source: source_text,
              target: target_text,
              similarity: score / 100,
              memory: set_name,
            })),
        };
      }),
  );
  server.registerTool(
    'find_terms',
    {
      title: 'Find glossary terms',
      description:
        'Returns the terms of the glossaries that occur in a text, with their required and their forbidden translations.',
      inputSchema: pair,
      outputSchema: {
        terms: z.array(
          z.object({
            source: z.string(),
            targets: z.array(z.string()),
            forbidden: z.array(z.string()).optional(),
            glossary: z.string(),
          }),
        ),
      },
      annotations: reads,
    },
    ({ text, source_lang, target_lang }, { signal }) =>
      answer(async () => {
        const { terms } = await client.terminology.matches(
          { source_text: text, source_lang, target_lang },
          { signal },
        );
        return {
          terms: terms.map(({ source_term, target_terms, forbidden_terms, set_name }) => ({
            source: source_term,
            targets: target_terms,
            ...(forbidden_terms && { forbidden: forbidden_terms.map(({ term }) => term) }),
            glossary: set_name,
          })),
        };
      }),
  );
}

const maxListed = 50;

function reviewTools(server: McpServer, { client, allowApproval, reviewer }: McpOptions): void {
  server.registerTool(
    'list_reviews',
    {
      title: 'List what awaits a review',
      description: 'Returns texts that await a review, latest first, with the reasons.',
      inputSchema: { target_lang: to.optional(), limit: z.int().min(1).max(maxListed).default(20) },
      outputSchema: waiting.shape,
      annotations: reads,
    },
    ({ target_lang, limit }, { signal }) =>
      answer(async () => {
        const query = {
          statuses: ['awaiting_review' as const, 'refined' as const],
          ...(target_lang && { target_lang }),
        };
        const jobs = await client.translations.search(query, { signal }).toArray({ limit: limit + 1 });
        return {
          texts: jobs.slice(0, limit).map((one) => ({
            job_id: one.id,
            target_lang: one.target_lang,
            score: one.score,
            triggers: one.triggers,
            source: one.source_excerpt,
            translation: one.translation_excerpt,
          })),
          more: jobs.length > limit,
        };
      }),
  );
  if (!allowApproval) return;
  server.registerTool(
    'approve_translation',
    {
      title: 'Approve a translation',
      description:
        'Publishes a translation that awaits a review, with another text if one is given. Use it only if the person has read the translation and asked for it.',
      inputSchema: {
        job_id: jobId,
        translation: z
          .string()
          .min(1)
          .max(50_000)
          .optional()
          .describe('The text to publish, if it differs from the proposed one.'),
      },
      outputSchema: job.shape,
      annotations: closes,
    },
    ({ job_id, translation }, { signal }) =>
      answer(async () => {
        const decision =
          translation === undefined
            ? { action: 'approve' as const }
            : { action: 'modify' as const, final_translation: translation };
        return jobView(
          await client.translations.review(
            job_id,
            { ...decision, ...(reviewer && { reviewer }) },
            { signal },
          ),
        );
      }),
  );
  server.registerTool(
    'reject_translation',
    {
      title: 'Reject a translation',
      description: 'Rejects a translation that awaits a review. It is then not published.',
      inputSchema: { job_id: jobId, reason: z.string().max(10_000).optional() },
      outputSchema: job.shape,
      annotations: closes,
    },
    ({ job_id, reason }, { signal }) =>
      answer(async () =>
        jobView(
          await client.translations.review(
            job_id,
            { action: 'reject', ...(reason && { notes: reason }), ...(reviewer && { reviewer }) },
            { signal },
          ),
        ),
      ),
  );
}

/** Returns the result of a tool, or its failure as a message for the model. */
async function answer(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    const result = await work();
    return {
      content: [{ type: 'text', text: JSON.stringify(result, null, 2) }],
      structuredContent: result as Record<string, unknown>,
    };
  } catch (error) {
    return { content: [{ type: 'text', text: describeFailure(error) }], isError: true };
  }
}
