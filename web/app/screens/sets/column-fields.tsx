import { LinguaLoopError } from '#sdk/errors.ts';
import type { GlossaryPreview, TerminologyPreviewRequest } from '#sdk/types.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { Grid, Stack } from '../../kit/box.tsx';
import { Group } from '../../kit/check-group.tsx';
import { Check, NativeSelect } from '../../kit/field.tsx';
import { isolated } from '../../parts/language-text.tsx';

/** The columns of a file as the service has read them. */
export type ReadTable = NonNullable<GlossaryPreview['table']>;
/** The use of the columns, as the member assigns them. */
export type AssignedTable = NonNullable<TerminologyPreviewRequest['table']>;

type Column = NonNullable<AssignedTable['columns'][number]>;

/** The label of each use of a column. */
export const columnNames: Readonly<Record<Column, MessageId>> = {
  source_term: 'sets.source',
  target_term: 'sets.target',
  source_lang: 'sets.column_source_lang',
  target_lang: 'sets.column_target_lang',
  case_sensitive: 'sets.case_sensitive',
  priority: 'sets.priority_label',
  definition: 'sets.definition',
  note: 'sets.note',
  part_of_speech: 'sets.part_of_speech',
  gender: 'sets.gender',
  status: 'sets.status',
  do_not_translate: 'sets.do_not_translate',
  domain: 'sets.domain',
  picture: 'sets.picture',
  forbidden_term: 'sets.column_forbidden',
};

/** The columns of a file that the service could not read; undefined for other errors. */
export function tableOf(error: unknown): ReadTable | undefined {
  if (!(error instanceof LinguaLoopError) || error.status !== 400) return undefined;
  // The service sends the columns with this error only (`server/language/terminology/upload.ts`).
  return (error.present ?? undefined) as ReadTable | undefined;
}

export function assignmentOf({ has_header, columns }: ReadTable): AssignedTable {
  return { has_header, columns: columns.map(({ column }) => column) };
}

/** Whether the terms have one column each, without which the service rejects the assignment. */
export function isComplete({ columns }: AssignedTable): boolean {
  return columns.includes('source_term') && columns.includes('target_term');
}

/**
 * Shows the use of each column of a file, which the member can change. A use that is given to another column is taken
 * from the first one.
 */
export function ColumnFields({
  table,
  assigned,
  onAssign,
}: {
  table: ReadTable;
  assigned: AssignedTable;
  onAssign: (assigned: AssignedTable) => void;
}) {
  const t = useT();
  const assign = (place: number, column: Column | null) =>
    onAssign({
      ...assigned,
      columns: assigned.columns.map((before, index) =>
        index === place ? column : before === column ? null : before,
      ),
    });
  return (
    <Group label={t('sets.columns')}>
      <Stack gap={3}>
        <p className="hint">{t('sets.columns_why')}</p>
        <Grid as="ul" least={12} gap={3} align="end">
          {table.columns.map(({ name }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a file never change
            <li key={place}>
              <NativeSelect
                label={name === '' ? t('sets.column_n', { number: place + 1 }) : isolated(name)}
                value={assigned.columns[place] ?? ''}
                options={[
                  ['', t('sets.column_unused')],
                  ...Object.entries(columnNames).map(
                    ([column, label]) => [column as Column, t(label)] as const,
                  ),
                ]}
                onChange={(column) => assign(place, column || null)}
              />
            </li>
          ))}
        </Grid>
        <Check
          label={t('sets.first_row_header')}
          isChecked={assigned.has_header}
          onChange={(has_header) => onAssign({ ...assigned, has_header })}
        />
        {!isComplete(assigned) && (
          <p className="field-problem" role="alert">
            {t('sets.columns_missing')}
          </p>
        )}
      </Stack>
    </Group>
  );
}
