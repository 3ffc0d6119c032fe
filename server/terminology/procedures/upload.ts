import { deferredTenantProcedure } from '#server/access/service.ts';
import { glossaryForm, uploadedGlossary } from '../schema.ts';
import { uploadGlossary } from '../service.ts';

export const upload = deferredTenantProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/terminology',
      upload: {
        parts: ['terminology_file', 'terminology_csv'],
        raw: false,
        ceiling: () => 'MAX_UPLOAD_BYTES',
      },
      tag: 'Terminology',
      summary: 'Create or replace a glossary from a CSV or TMX file',
      description:
        'A form with `terminology_file` (.csv or .tmx; `terminology_csv` is its older name) and `name`; `source_lang` and `target_lang` are required beside TMX.',
    },
  })
  .input(glossaryForm)
  .output(uploadedGlossary)
  .mutation(({ ctx, input }) => uploadGlossary(ctx.services, ctx.withTenant, input, ctx.disconnected()));
