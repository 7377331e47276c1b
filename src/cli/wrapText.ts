/** Lines of at most `width` characters, broken between words; lines after the first begin with `indent`. */
export function wrapText(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line.trim() !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent + word
    } else line = line.trim() === '' ? line + word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
