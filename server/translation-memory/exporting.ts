import type { EnterTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { beginExport, type ExportRequest, guardExport, makePage } from '#server/exports.ts';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/index.ts';
import { readDeclaredLanguage } from '#server/set-upload.ts';
import type { StreamAnswer } from '#server/trpc.ts';
import { goldenSetName } from './golden-name.ts';
import { type ExportedSegment, selectExportRange, selectSegments } from './queries/pages.ts';
import { type SetRow, selectSetById, selectSetByName } from './queries/sets.ts';

interface Exported {
  tenantId: string;
  set: SetRow;
  range: { after: number; last: number };
}

/** B 4.5: a set as TMX 1.4b. @throws AppError 404 for a set that is unknown, foreign or empty */
export function exportSet(
  services: Services,
  enter: EnterTenant,
  setId: string,
  request: ExportRequest,
): Promise<StreamAnswer> {
  return exportFound(services, enter, request, async (tx, tenantId) => {
    const set = await selectSetById(tx, tenantId, setId);
    if (!set) throw new AppError('not_found', 'translation memory set not found');
    return set;
  });
}

/**
 * B 4.5: the approved pairs of a language pair.
 * @throws AppError 400 where a language is blank, 422 where it is none, 404 where nothing was approved yet
 */
export async function exportGolden(
  services: Services,
  enter: EnterTenant,
  languages: { source_lang: string; target_lang: string },
  request: ExportRequest,
): Promise<StreamAnswer> {
  const nothing = () => new AppError('not_found', 'no approved golden pairs for this language pair');
  return exportFound(
    services,
    enter,
    request,
    async (tx, tenantId) => {
      const pairSource = readDeclaredLanguage('source_lang', languages.source_lang)?.code;
      const pairTarget = readDeclaredLanguage('target_lang', languages.target_lang)?.code;
      if (!pairSource || !pairTarget)
        throw new AppError('validation_error', 'source_lang and target_lang query params are required');
      const set = await selectSetByName(tx, tenantId, goldenSetName({ pairSource, pairTarget }));
      if (!set) throw nothing();
      return set;
    },
    nothing,
  );
}

/** Made while it is sent, a page at a time: a slow reader holds no connection and little memory. */
async function exportFound(
  { database, settings, log }: Services,
  enter: EnterTenant,
  request: ExportRequest,
  find: (tx: Parameters<typeof selectSetById>[0], tenantId: string) => Promise<SetRow>,
  empty = () => new AppError('not_found', 'the set has no segments'),
): Promise<StreamAnswer> {
  const exported = await enter(async (tx, { tenant }): Promise<Exported> => {
    const set = await find(tx, tenant.id);
    const range = await selectExportRange(tx, tenant.id, set.setId, settings.MAX_TM_SEGMENTS);
    if (!range) throw empty();
    return { tenantId: tenant.id, set, range };
  });
  const { tenantId, set } = exported;
  const end = await beginExport({ tenantId, signal: request.signal });
  const read = (after: number) =>
    makePage({ tenantId, signal: request.signal }, () =>
      database.inTenant(tenantId, async (tx) => {
        const [now, page] = await Promise.all([
          selectSetById(tx, tenantId, set.setId),
          selectSegments(tx, tenantId, set.setId, after),
        ]);
        // Segments of two uploads must not make one file.
        if (now?.updatedAt.getTime() !== set.updatedAt.getTime())
          throw new Error('the set was replaced while it was exported');
        return page;
      }),
    );
  try {
    const first = await read(exported.range.after);
    return {
      chunks: guardExport(log, request, writeTmx(exported, first, read)),
      contentType: 'application/xml',
      fileName: `${set.name}.tmx`,
      end,
    };
  } catch (error) {
    end();
    throw error;
  }
}

async function* writeTmx(
  { set, range }: Exported,
  first: ExportedSegment[],
  read: (after: number) => Promise<ExportedSegment[]>,
): AsyncGenerator<string, void> {
  const { sourceLang, targetLang } = set;
  yield tmxHead({ sourceLang, targetLang, creationDate: new Date() });
  for (let page = first; page.length > 0; page = await read(page.at(-1)!.segmentNo)) {
    yield page
      .filter(({ segmentNo }) => segmentNo <= range.last)
      .map((segment) =>
        tmxUnit({
          sourceLang,
          targetLang,
          source: segment.sourceText,
          target: segment.targetText,
          tuid: segment.tuid,
          changedate: segment.changedAt,
        }),
      )
      .join('');
    if (page.at(-1)!.segmentNo >= range.last) break;
  }
  yield tmxTail;
}
