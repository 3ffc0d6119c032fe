import { useEffect, useRef, useState } from 'react';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Choice, Group } from '../../kit/check-group.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Check, Field } from '../../kit/field.tsx';
import { Badge, Flaw } from '../../kit/text.tsx';
import { includableNames } from '../../parts/reason-names.ts';
import { layoutFormatOf } from './file-kind.ts';
import type { FileQueue, ListedFile } from './file-queue.ts';

/** What is translated of a file, and the form of the result, as far as its format allows a choice. */
export function FileParts({ file, queue }: { file: ListedFile; queue: FileQueue }) {
  const t = useT();
  const { id, parts, proposed, invalid } = file;
  const element = useRef<HTMLDetailsElement>(null);
  // While a file is sent, its fields are not in the page. They are back if the service rejects one of them.
  const wasRejected = invalid !== undefined;
  const [isOpen, setOpen] = useState(wasRejected);
  useEffect(() => {
    if (wasRejected) element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [wasRejected]);
  const format = layoutFormatOf(file);
  if (!format) return null;
  const { pages, places, include, output } = layoutKinds[format];
  const chosen =
    (parts.pages.trim() === '' ? 0 : 1) +
    parts.include.length +
    (parts.exclude_columns.trim() === '' ? 0 : 1) +
    (parts.output === 'translated' ? 0 : 1);
  const ofSheets = pages === 'sheets';
  const field = (name: 'pages' | 'exclude_columns', label: MessageId, hint: MessageId, isText: boolean) => (
    <Field
      label={t(label)}
      hint={t(hint)}
      problem={invalid?.field === name ? invalid.message : undefined}
      value={parts[name]}
      maxLength={10_000}
      autoComplete="off"
      translate="no"
      dir={isText ? 'auto' : 'ltr'}
      onValue={(value) => queue.select(id, { [name]: value })}
    />
  );
  return (
    <Disclosure
      ref={element}
      isOpen={isOpen}
      onToggle={setOpen}
      title={
        <>
          {t('translate.parts', { format })}
          {chosen > 0 && <Badge>{t('translate.options_set', { count: chosen })}</Badge>}
        </>
      }
    >
      {pages &&
        field(
          'pages',
          ofSheets ? 'translate.sheets' : 'translate.pages_field',
          ofSheets ? 'translate.sheets_hint' : 'translate.pages_hint',
          ofSheets,
        )}
      {places === 'sheet' && field('exclude_columns', 'translate.columns', 'translate.columns_hint', true)}
      {include.length > 0 && (
        <Group label={t('translate.include')}>
          {proposed && <p className="hint">{t('translate.include_proposed')}</p>}
          <Row gap={3}>
            {include.map((name) => (
              <Check
                key={name}
                label={<span className="capital">{t(includableNames[name])}</span>}
                isChecked={parts.include.includes(name)}
                onChange={(isChecked) =>
                  queue.select(id, {
                    include: include.filter((one) =>
                      one === name ? isChecked : parts.include.includes(one),
                    ),
                  })
                }
              />
            ))}
          </Row>
        </Group>
      )}
      {output.length > 1 && (
        <Stack gap={1}>
          <Choice
            label={t('translate.output')}
            isRow
            value={parts.output}
            options={output.map((name) => [name, t(`translate.output_${name}`)])}
            onChange={(chosenOutput) => queue.select(id, { output: chosenOutput })}
          />
          <p className="hint">{t(`translate.says_${parts.output}`, { format })}</p>
        </Stack>
      )}
      {invalid && invalid.field !== 'pages' && invalid.field !== 'exclude_columns' && (
        <Flaw role="alert">{invalid.message}</Flaw>
      )}
    </Disclosure>
  );
}
