import { useLayoutEffect, useSyncExternalStore } from 'react';

/** How the editor is shown on this device. */
interface EditorView {
  /** Whether rows are less high, so that more of them are visible. */
  isCompact: boolean;
  /** Whether the side panel is shown. */
  isPanelOpen: boolean;
  /** Whether a phone shows the list of segments instead of the open one. */
  isListOpen: boolean;
  preview: PreviewPlace;
  /** Whether a confirmation leaves the repetitions of the segment as they are. */
  isOnlyHere: boolean;
  /** Whether rows show their changes since the machine translation. */
  showsChanges: boolean;
}

/** The place of the preview of a file: in the lower half of the side panel, below the segments, or hidden. */
export type PreviewPlace = 'panel' | 'below' | 'hidden';

const compactKey = 'lingualoop-editor-compact';
const closedPanelKey = 'lingualoop-editor-panel-closed';
const previewKey = 'lingualoop-editor-preview';
const onlyHereKey = 'lingualoop-editor-only-here';
const changesKey = 'lingualoop-editor-changes';

/** In narrower windows, the panel is a drawer over the segments; see `editor.module.css`. */
const narrow = matchMedia('(width < 80rem)');

let isDrawerOpen = false;
let isListOpen = false;
let view = read();
const listeners = new Set<() => void>();
narrow.addEventListener('change', update);

function read(): EditorView {
  return {
    isCompact: localStorage.getItem(compactKey) !== null,
    isPanelOpen: narrow.matches ? isDrawerOpen : localStorage.getItem(closedPanelKey) === null,
    isListOpen,
    // A narrow window has no room below the segments.
    preview: narrow.matches ? 'panel' : storedPreview(),
    isOnlyHere: localStorage.getItem(onlyHereKey) !== null,
    showsChanges: localStorage.getItem(changesKey) !== null,
  };
}

function storedPreview(): PreviewPlace {
  const stored = localStorage.getItem(previewKey);
  return stored === 'below' || stored === 'hidden' ? stored : 'panel';
}

function update(): void {
  view = read();
  for (const listener of listeners) listener();
}

function toggleStored(key: string): void {
  if (localStorage.getItem(key) === null) localStorage.setItem(key, 'true');
  else localStorage.removeItem(key);
}

export function toggleDensity(): void {
  toggleStored(compactKey);
  update();
}

export function toggleRepetitions(): void {
  toggleStored(onlyHereKey);
  update();
}

export function toggleChanges(): void {
  toggleStored(changesKey);
  update();
}

/** Shows or hides the side panel. Only the panel of a wide window is remembered; a drawer opens for a moment. */
export function togglePanel(): void {
  if (narrow.matches) isDrawerOpen = !isDrawerOpen;
  else toggleStored(closedPanelKey);
  update();
}

/** Moves the preview to this place, or hides it if it is there. Remembered on this device. */
export function togglePreview(place: 'panel' | 'below'): void {
  localStorage.setItem(previewKey, view.preview === place ? 'hidden' : place);
  update();
}

export function toggleList(): void {
  isListOpen = !isListOpen;
  update();
}

/** Closes what covers the open segment: the drawer and the list. */
export function showOpenSegment(): void {
  if (!isDrawerOpen && !isListOpen) return;
  isDrawerOpen = false;
  isListOpen = false;
  update();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useEditorView(): EditorView {
  return useSyncExternalStore(subscribe, () => view);
}

/** Applies the view to the page, for style sheets. */
export function useAppliedView(): void {
  const { isCompact, isListOpen } = useEditorView();
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset['density'] = isCompact ? 'compact' : 'comfortable';
    dataset['segments'] = isListOpen ? 'list' : 'one';
    return () => {
      delete dataset['density'];
      delete dataset['segments'];
    };
  }, [isCompact, isListOpen]);
}
