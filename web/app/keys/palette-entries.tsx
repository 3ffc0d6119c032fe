import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileText, Keyboard, type LucideIcon, Upload } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { FileView } from '#sdk/file-types.ts';
import { useSections } from '../frame/rail.tsx';
import { type Translate, useT } from '../i18n.tsx';
import { useLanguages } from '../parts/languages.tsx';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import { stateOf } from '../screens/documents/files.ts';
import { isVisitor } from '../session/keeper.ts';
import { commands, keyLabel, nameOfCommand } from './commands.ts';
import { matchOf } from './match-name.ts';
import { availableCommands, runCommand } from './use-commands.ts';

/** An entry of the palette: a screen, a command or a file. */
export interface Entry {
  id: string;
  icon: LucideIcon;
  name: string;
  /** Distinguishes the entry from others with the same name. For a command, its keys. */
  hint?: ReactNode;
  run: () => void;
}

/** The screens that the member sees. */
export function useScreens(): Entry[] {
  const t = useT();
  const navigate = useNavigate();
  return useSections().flatMap(({ entries }) =>
    entries.map(({ to, name, icon }) => ({
      id: to,
      icon,
      name: t(name),
      run: () => void navigate({ to }),
    })),
  );
}

/** The commands of the current screen, and those of all screens. */
export function useActions(): Entry[] {
  const t = useT();
  const navigate = useNavigate();
  // The commands are determined once, when the palette opens.
  const [available] = useState(() => availableCommands().filter((id) => id !== 'palette'));
  const upload = {
    id: 'upload',
    icon: Upload,
    name: t('inbox.upload'),
    run: () => void navigate({ to: '/app/translate', search: { kind: 'file' } }),
  };
  return [
    ...(isVisitor() ? [] : [upload]),
    ...available.map((id) => ({
      id,
      icon: Keyboard,
      name: nameOfCommand(id, t),
      hint: commands[id].keys.map((key) => <kbd key={key}>{keyLabel(key)}</kbd>),
      run: () => runCommand(id),
    })),
  ];
}

/** Milliseconds after the last key before files are searched. */
const pause = 250;
/** Shorter texts find too many files. */
const minLength = 2;
/** Maximum length of a text that the service searches. */
export const maxLength = 200;
const maxFiles = 6;

/** The files whose name contains a text, the last changed first. A new text aborts the search for the previous one. */
export function useFiles(sought: string) {
  const t = useT();
  const navigate = useNavigate();
  const { nameOf } = useLanguages();
  const text = sought.trim();
  const settled = useSettled(text);
  const isWanted = settled.length >= minLength && text.length >= minLength;
  const filter = { text: settled, limit: maxFiles };
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: queryKeys.documents.list(filter),
    queryFn: ({ signal }) => procedures.documents.files.query(filter, { signal }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const isOld = isPlaceholderData || text !== settled;
  const found = isWanted ? (data?.files ?? []) : [];
  return {
    entries: found
      .filter(({ source_file_name }) => !isOld || matchOf(source_file_name, text))
      .map(
        (file): Entry => ({
          id: file.id,
          icon: FileText,
          name: file.source_file_name,
          hint: `${nameOf(file.target_lang)} · ${stateWords(file, t)}`,
          run: () =>
            void navigate({ to: '/app/edit/documents/$documentId', params: { documentId: file.id } }),
        }),
      ),
    error: isWanted ? error : null,
    isSearching: text.length >= minLength && (text !== settled || isFetching),
  };
}

/** The critical findings of a file that awaits review; otherwise its state. */
function stateWords(file: FileView, t: Translate): string {
  const state = stateOf(file);
  if (state === 'needs_review' && file.critical > 0) return t('inbox.critical', { count: file.critical });
  return t(`documents.state_${state}`);
}

/** Returns a value once it has not changed for `pause`. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
