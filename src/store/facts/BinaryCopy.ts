const signature = [0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
const chunkBytes = 256 * 1024
/** More than any row of ours has. */
const rowBytes = 256
const days2000 = 10_957
const infinity = 0x7fff_ffff

/** Rows in PostgreSQL's binary COPY format: the server then has no dates and numbers to parse, which is a third
 * of its work. Fields are written in the order of the columns. */
export class BinaryCopy {
  private readonly done: Uint8Array[] = []
  private buffer = Buffer.allocUnsafe(chunkBytes)
  private view = new DataView(this.buffer.buffer, this.buffer.byteOffset, chunkBytes)
  private at = 0

  constructor(private readonly columns: number) {
    for (const byte of signature) this.buffer[this.at++] = byte
  }

  row(): void {
    if (this.at + rowBytes > chunkBytes) this.nextChunk()
    this.view.setInt16(this.at, this.columns)
    this.at += 2
  }

  null(): void {
    this.view.setInt32(this.at, -1)
    this.at += 4
  }

  smallint(value: number): void {
    this.view.setInt32(this.at, 2)
    this.view.setInt16(this.at + 4, value)
    this.at += 6
  }

  integer(value: number): void {
    this.view.setInt32(this.at, 4)
    this.view.setInt32(this.at + 4, value)
    this.at += 8
  }

  /** A day counted from 1970-01-01; Infinity is PostgreSQL's own. */
  date(day: number): void {
    this.integer(day === Number.POSITIVE_INFINITY ? infinity : day - days2000)
  }

  dateInfinity(): void {
    this.integer(infinity)
  }

  double(value: number): void {
    this.view.setInt32(this.at, 8)
    this.view.setFloat64(this.at + 4, value)
    this.at += 12
  }

  boolean(value: boolean): void {
    this.view.setInt32(this.at, 1)
    this.buffer[this.at + 4] = value ? 1 : 0
    this.at += 5
  }

  /** Everything written, closed with the trailer. */
  finish(): readonly Uint8Array[] {
    this.view.setInt16(this.at, -1)
    this.at += 2
    this.nextChunk()
    return this.done
  }

  private nextChunk(): void {
    this.done.push(this.buffer.subarray(0, this.at))
    this.buffer = Buffer.allocUnsafe(chunkBytes)
    this.view = new DataView(this.buffer.buffer, this.buffer.byteOffset, chunkBytes)
    this.at = 0
  }
}
