/// The sample description of plain text, `text` (QTFF, "Text Sample Description").
enum TextDescription {
    static func write(into stsd: inout AtomWriter) {
        stsd.atom("text") { entry in
            entry.sampleEntryHead()
            entry.u32(0)  // display flags
            entry.u32(1)  // centred
            entry.zeros(6)  // black background
            entry.zeros(8)  // default text box
            entry.zeros(8)
            entry.u16(0)  // the system's font
            entry.u16(0)  // plain
            entry.zeros(3)
            for _ in 0..<3 { entry.u16(0xFFFF) }  // white
            entry.pascalString("")
        }
    }
}
