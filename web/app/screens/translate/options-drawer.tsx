import { X } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import { useGlossaries } from '../../terms/use-glossaries.ts';
import { OptionFields } from './option-fields.tsx';
import styles from './options.module.css';
import { noOptions, type OptionName, type Options, optionsOf } from './options.ts';
import type { TranslateKind } from './search.ts';

/** The widths at which the drawer stands next to the texts. Below them, it covers the screen. */
const wide = matchMedia('(width >= 68rem)');

function subscribeToWidth(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

/** The options that the drawer offers for each way to translate. */
export const offeredFor: Record<TranslateKind, readonly OptionName[]> = {
  text: optionsOf.text,
  batch: optionsOf.batch,
  file: optionsOf.textFile,
};

/** Options of the next translation. @param children what the options cost */
export function OptionsDrawer({
  id,
  kind,
  isOpen,
  options,
  from,
  to,
  onChange,
  onClose,
  children,
}: {
  id: string;
  kind: TranslateKind;
  isOpen: boolean;
  options: Options;
  from: string;
  to: readonly string[];
  onChange: (options: Options) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const t = useT();
  const drawer = useRef<HTMLDialogElement>(null);
  const isWide = useSyncExternalStore(subscribeToWidth, () => wide.matches);
  useLayoutEffect(() => {
    const element = drawer.current;
    if (!element || !isOpen) return;
    if (isWide) element.show();
    else element.showModal();
    return () => element.close();
  }, [isOpen, isWide]);
  const note = kind !== 'text' && (kind === 'batch' ? 'translate.batch_options' : 'translate.file_options');
  return (
    <dialog
      ref={drawer}
      id={id}
      className={styles.drawer}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <Row as="header" justify="space-between">
        <Text as="h2" size="md" id={`${id}-title`}>
          {t('translate.options')}
        </Text>
        <IconButton label={t('common.close')} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </Row>
      {isOpen && (
        <Stack gap={4}>
          <OptionFields
            options={options}
            offered={offeredFor[kind]}
            set={(change) => onChange({ ...options, ...change })}
          />
          {note && <p className="hint">{t(note)}</p>}
          <Glossaries from={from} to={to} />
          {children}
          <button type="button" onClick={() => onChange(noOptions)}>
            {t('translate.reset_options')}
          </button>
        </Stack>
      )}
    </dialog>
  );
}

/** The glossaries of the selected languages, which apply without a selection. */
function Glossaries({ from, to }: { from: string; to: readonly string[] }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { data } = useGlossaries();
  const fitting = data?.filter(
    ({ source_lang: source, target_lang: target }) =>
      (source === null || from === detected || source === from) &&
      (target === null || to.some((one) => one === target)),
  );
  return (
    <Stack as="section" gap={1}>
      <Text as="h3" size="sm" weight="medium">
        {t('translate.glossaries')}
      </Text>
      {fitting && fitting.length > 0 && (
        <Row as="ul" gap={1}>
          {fitting.map(({ id, name, target_lang: target }) => (
            <li key={id}>
              <Badge>
                <bdi translate="no">{name}</bdi>
                {target && to.length > 1 && <span>{nameOf(target)}</span>}
              </Badge>
            </li>
          ))}
        </Row>
      )}
      <p className="hint">
        {t(fitting?.length === 0 ? 'translate.glossaries_none' : 'translate.glossaries_automatic')}
      </p>
    </Stack>
  );
}
