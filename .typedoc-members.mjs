import { Comment, Converter, ReflectionKind } from 'typedoc'

/**
 * Lets a member without a docstring stand under that of its type: every export is
 * documented, a method only where the type leaves something to say.
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const members = ReflectionKind.Method | ReflectionKind.Property | ReflectionKind.Accessor
    for (const member of project.getReflectionsByKind(members)) {
      member.comment ??= new Comment([{ kind: 'text', text: 'See the docstring of its type.' }])
    }
  })
}
