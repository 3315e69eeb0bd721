/** Whether a name from outside is a key of `object`, and not of its prototype. */
export function isKeyOf<Keys extends object>(object: Keys, name: string): name is string & keyof Keys {
  return Object.hasOwn(object, name)
}
