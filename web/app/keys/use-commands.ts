import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Command, type CommandId, commandIds, commands } from './commands.ts';
import { isComposing, isKey } from './match-key.ts';

/** Handlers of commands. If several components handle a command, the component that was shown last handles it. */
export type Handlers = Partial<Record<CommandId, () => void>>;

let active: readonly { current: Handlers }[] = [];
const listeners = new Set<() => void>();

/** Sets the handlers of commands while the component is shown. */
export function useCommands(handlers: Handlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    active = [latest, ...active];
    if (active.length === 1) document.addEventListener('keydown', onKeyDown);
    tell();
    return () => {
      active = active.filter((one) => one !== latest);
      if (active.length === 0) document.removeEventListener('keydown', onKeyDown);
      tell();
    };
  }, []);
}

/** The commands with a handler, for the help and the palette. */
export function availableCommands(): CommandId[] {
  return commandIds.filter((id) => handlerOf(id));
}

export function runCommand(id: CommandId): void {
  handlerOf(id)?.();
}

function handlerOf(id: CommandId): (() => void) | undefined {
  return active.find(({ current }) => current[id])?.current[id];
}

function onKeyDown(event: KeyboardEvent): void {
  // While an input method composes a text, its keys are text and not shortcuts.
  if (isComposing(event) || event.defaultPrevented) return;
  // An open dialog gets all keys.
  if (document.querySelector('dialog[open]')) return;
  // Some keys have different commands on different screens.
  const id = commandIds.find((one) => handlerOf(one) && isMeant(one, event));
  const handler = id && handlerOf(id);
  if (!handler) return;
  event.preventDefault();
  const { repeats }: Command = commands[id];
  if (event.repeat && !repeats) return;
  handler();
}

function isMeant(id: CommandId, event: KeyboardEvent): boolean {
  const { where, keys }: Command = commands[id];
  const target = event.target as Element;
  const isTyping = isTextField(target);
  if (where === 'list' && isTyping) return false;
  // A search field handles Enter and Escape itself.
  if (where === 'field' && isTyping && !target.matches(editedField)) return false;
  return keys.some((key) => {
    if (!isKey(event, key)) return false;
    // Enter activates a focused button or link.
    if (key === 'Enter') return !target.closest('a, button, summary');
    // Alt with an arrow key opens a select list.
    if (target instanceof HTMLSelectElement && event.altKey) return false;
    return where !== 'list' || singleKeys();
  });
}

/** Marks the main text field of a screen: `<textarea {...editedFieldMark}>`. */
export const editedFieldMark = { 'data-edited': '' };
const editedField = '[data-edited]';

function isTextField(target: Element): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

const singleKeysOff = 'lingualoop-single-keys-off';

/**
 * Whether keys without Ctrl, Alt or Command are shortcuts. Speech input types letters, so they can be disabled (WCAG 2.1.4).
 */
export function singleKeys(): boolean {
  return localStorage.getItem(singleKeysOff) === null;
}

export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(singleKeysOff);
  else localStorage.setItem(singleKeysOff, 'true');
  tell();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, singleKeys);
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
