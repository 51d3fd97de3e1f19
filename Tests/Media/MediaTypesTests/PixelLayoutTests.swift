import MediaTypes
import Testing

@Suite struct PixelLayoutTests {
    @Test(arguments: [
        (PixelFormat.nv12, [[0, 640, 480], [307_200, 640, 240]], 460_800),
        (.i420, [[0, 640, 480], [307_200, 320, 240], [384_000, 320, 240]], 460_800),
        (.i422, [[0, 640, 480], [307_200, 320, 480], [460_800, 320, 480]], 614_400),
        (.yuyv, [[0, 1280, 480]], 614_400),
        (.uyvy, [[0, 1280, 480]], 614_400),
        (.bgra, [[0, 2560, 480]], 1_228_800),
        (.argb, [[0, 2560, 480]], 1_228_800),
        (.rgba, [[0, 2560, 480]], 1_228_800),
        (.rgb24, [[0, 1920, 480]], 921_600),
        (.gray8, [[0, 640, 480]], 307_200),
    ])
    func layout_anyFormat_hasThePlanesOfV4L2(format: PixelFormat, planes: [[Int]], byteCount: Int) {
        let layout = PixelLayout(format: format, width: 640, height: 480)
        #expect(layout.planes.map { [$0.offset, $0.bytesPerRow, $0.rows] } == planes)
        #expect(layout.byteCount == byteCount)
    }

    @Test func layout_oddSize_roundsChromaUp() {
        let layout = PixelLayout(format: .i420, width: 5, height: 3)
        #expect(layout.planes.map(\.bytesPerRow) == [5, 3, 3])
        #expect(layout.planes.map(\.rows) == [3, 2, 2])
        #expect(PixelLayout(format: .nv12, width: 5, height: 3).planes[1].bytesPerRow == 6)
        #expect(PixelLayout(format: .yuyv, width: 5, height: 3).planes[0].bytesPerRow == 12)
    }

    @Test func layout_rowLengthOfTheDriver_appliesToEveryPlane() {
        let layout = PixelLayout(format: .nv12, width: 100, height: 10, bytesPerRow: 128)
        #expect(layout.planes.map(\.bytesPerRow) == [128, 128])
        #expect(layout.planes[1].offset == 1280 && layout.byteCount == 1280 + 640)
        #expect(
            PixelLayout(format: .i420, width: 100, height: 10, bytesPerRow: 128).planes.map(\.bytesPerRow) == [
                128, 64, 64,
            ])
    }

    @Test func layout_alignment_roundsEveryRowUp() {
        let layout = PixelLayout(format: .i420, width: 100, height: 10, alignment: 64)
        #expect(layout.planes.map(\.bytesPerRow) == [128, 64, 64])
    }

    @Test func byteCount_planesInAnyOrder_reachesTheFarthest() {
        let layout = PixelLayout(
            format: .nv12, width: 4, height: 4,
            planes: [.init(offset: 100, bytesPerRow: 4, rows: 4), .init(offset: 0, bytesPerRow: 4, rows: 2)])
        #expect(layout.byteCount == 116)
    }
}
