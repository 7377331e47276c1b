import { createServer, type Server, type Socket } from 'node:net'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and text, as they came over the wire. */
  readonly data: string
}

export interface SmtpServer {
  readonly url: string
  readonly received: ReceivedMail[]
  /** How often a client has connected. */
  connections(): number
  stop(): Promise<void>
}

/** A small mail server on loopback.
 *
 * @param answerTo the answer to the content of the n-th mail; a first digit other than 2 refuses it. null: none, ever */
export async function smtpServer(
  answerTo: (mail: number, data: string) => string | null = () => '250 OK',
): Promise<SmtpServer> {
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let mails = 0
  const server: Server = createServer(socket => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    let buffer = ''
    let from = ''
    let to: string[] = []
    let isData = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    say('220 test')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      buffer += chunk
      for (;;) {
        const end = buffer.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const text = buffer.slice(0, end)
        buffer = buffer.slice(end + (isData ? 5 : 2))
        if (isData) {
          isData = false
          const answer = answerTo(mails++, text)
          if (answer?.startsWith('2')) received.push({ from, to, data: text })
          if (answer !== null) say(answer)
        } else if (/^MAIL FROM:/i.test(text)) {
          from = /<([^>]*)>/.exec(text)?.[1] ?? ''
          to = []
          say('250 OK')
        } else if (/^RCPT TO:/i.test(text)) {
          to.push(/<([^>]*)>/.exec(text)?.[1] ?? '')
          say('250 OK')
        } else if (/^DATA/i.test(text)) {
          isData = true
          say('354 go on')
        } else if (/^QUIT/i.test(text)) socket.end('221 bye\r\n')
        else say('250 OK')
      }
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    stop: () =>
      new Promise(done => {
        for (const socket of sockets) socket.destroy()
        server.close(() => done())
      }),
  }
}
