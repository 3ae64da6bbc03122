// Package azurestore is the driver for Azure Blob Storage: azblob://container.
//
// Source: Azure Blob Storage REST API, conditional headers, Put Block List and Get Blob.
package azurestore

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"mkt/publish/store"
)

func init() { store.Register("azblob", Open) }

// account is a container's account with its credential. The credential comes from the
// environment, the rest also from the parameters of the address.
type account struct {
	name, key, token, connection string
	domain, protocol             string
	isCDN, isEmulator            bool
}

// Open opens a bucket. It is a [store.Driver].
func Open(_ context.Context, address *url.URL) (store.Bucket, error) {
	a := account{name: os.Getenv("AZURE_STORAGE_ACCOUNT"), key: os.Getenv("AZURE_STORAGE_KEY"), token: os.Getenv("AZURE_STORAGE_SAS_TOKEN"),
		connection: os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), domain: os.Getenv("AZURE_STORAGE_DOMAIN"), protocol: os.Getenv("AZURE_STORAGE_PROTOCOL")}
	if a.connection == "" {
		a.connection = os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING")
	}
	a.isCDN, _ = strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_CDN"))
	a.isEmulator, _ = strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_LOCAL_EMULATOR"))
	of := a
	for name, values := range address.Query() {
		value := values[0]
		var err error
		switch name {
		case "domain":
			of.domain = value
		case "protocol":
			of.protocol = value
		case "storage_account":
			of.name = value
		case "cdn":
			of.isCDN, err = strconv.ParseBool(value)
		case "localemu":
			of.isEmulator, err = strconv.ParseBool(value)
		default:
			return nil, fmt.Errorf("unknown parameter %q", name)
		}
		if err != nil {
			return nil, fmt.Errorf("the parameter %s wants true or false", name)
		}
	}
	if a.token != "" && of.endpoint() != a.endpoint() {
		return nil, errors.New("the address may not name another server, because AZURE_STORAGE_SAS_TOKEN would be sent there")
	}
	c, err := of.client(address.Host)
	if err != nil {
		return nil, err
	}
	return &bucket{c}, nil
}

// endpoint is the address of the account, without a credential.
func (a *account) endpoint() string {
	domain, protocol := a.domain, a.protocol
	if domain == "" {
		domain = "blob.core.windows.net"
	}
	if protocol == "" {
		protocol = "https"
	}
	switch {
	case a.isEmulator, strings.HasPrefix(domain, "127.0.0.1"), strings.HasPrefix(domain, "localhost"):
		return protocol + "://" + domain + "/" + a.name
	case a.isCDN:
		return protocol + "://" + domain
	}
	return protocol + "://" + a.name + "." + domain
}

// retries are the library's. Tests wait less.
var retries policy.RetryOptions

func options() *container.ClientOptions {
	return &container.ClientOptions{ClientOptions: azcore.ClientOptions{Retry: retries}}
}

func (a *account) client(name string) (*container.Client, error) {
	if a.connection != "" && (a.name == "" || a.key == "") && a.token == "" {
		c, err := container.NewClientFromConnectionString(a.connection, name, options())
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_CONNECTION_STRING cannot be read")
		}
		return c, nil
	}
	switch {
	case a.name == "":
		return nil, errors.New("no storage account: set AZURE_STORAGE_ACCOUNT, or the parameter storage_account of the address")
	case a.protocol != "" && a.protocol != "http" && a.protocol != "https":
		return nil, errors.New("the parameter protocol wants http or https")
	}
	address := a.endpoint() + "/" + url.PathEscape(name)
	switch {
	case a.key != "":
		key, err := azblob.NewSharedKeyCredential(a.name, a.key)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_KEY cannot be read: it is base64")
		}
		return container.NewClientWithSharedKeyCredential(address, key, options())
	case a.token != "":
		return container.NewClientWithNoCredential(address+"?"+strings.TrimPrefix(a.token, "?"), options())
	}
	found, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, errors.New("no credential was found: set AZURE_STORAGE_KEY, or run where the machine has an identity")
	}
	return container.NewClient(address, tokens{found}, options())
}

// tokens marks an error of the credential's source as one.
type tokens struct{ azcore.TokenCredential }

func (t tokens) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	token, err := t.TokenCredential.GetToken(ctx, o)
	if err != nil && ctx.Err() == nil {
		err = &store.Error{Kind: store.Denied}
	}
	return token, err
}

type bucket struct{ container *container.Client }

func (b *bucket) Read(ctx context.Context, key string) (io.ReadCloser, store.Attributes, error) {
	out, err := b.container.NewBlobClient(key).DownloadStream(ctx, nil)
	if err != nil {
		return nil, store.Attributes{}, refusal(err)
	}
	a := store.Attributes{Size: value(out.ContentLength), Stored: value(out.LastModified)}
	if len(out.ContentMD5) == md5.Size {
		return store.Checked(out.Body, md5.New(), out.ContentMD5), a, nil
	}
	return out.Body, a, nil
}

func (b *bucket) Look(ctx context.Context, key string) (store.Attributes, error) {
	out, err := b.container.NewBlobClient(key).GetProperties(ctx, nil)
	if err != nil {
		return store.Attributes{}, refusal(err)
	}
	return store.Attributes{Size: value(out.ContentLength), Stored: value(out.LastModified)}, nil
}

// block is the size of a part of an object.
const block = 8 << 20

// Write sends an object in blocks, each with its checksum. The list of the blocks makes the
// object. It has the MD5 of the whole, which every answer with the object repeats.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, onlyIfAbsent bool) error {
	client := b.container.NewBlockBlobClient(key)
	whole := md5.New()
	var part bytes.Buffer
	var ids []string
	for {
		isEnd, err := store.ReadPart(body, &part, block)
		if err != nil {
			return err
		}
		whole.Write(part.Bytes())
		of := md5.Sum(part.Bytes())
		sum := blob.TransferValidationTypeMD5(of[:])
		headers := &blob.HTTPHeaders{BlobContentType: new("application/octet-stream"), BlobContentMD5: whole.Sum(nil)}
		data := streaming.NopCloser(bytes.NewReader(part.Bytes()))
		if isEnd && len(ids) == 0 {
			_, err := client.Upload(ctx, data, &blockblob.UploadOptions{HTTPHeaders: headers, AccessConditions: condition(onlyIfAbsent), TransactionalValidation: sum})
			return refusal(err)
		}
		if part.Len() > 0 {
			id := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%08d", len(ids)))
			if _, err := client.StageBlock(ctx, id, data, &blockblob.StageBlockOptions{TransactionalValidation: sum}); err != nil {
				return refusal(err)
			}
			ids = append(ids, id)
		}
		if isEnd {
			_, err := client.CommitBlockList(ctx, ids, &blockblob.CommitBlockListOptions{HTTPHeaders: headers, AccessConditions: condition(onlyIfAbsent)})
			return refusal(err)
		}
	}
}

func condition(onlyIfAbsent bool) *blob.AccessConditions {
	if !onlyIfAbsent {
		return nil
	}
	return &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: new(azcore.ETagAny)}}
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	_, err := b.container.NewBlobClient(key).Delete(ctx, nil)
	return refusal(err)
}

// List ignores the start of the listing, which not every account of Azure supports.
func (b *bucket) List(ctx context.Context, from store.Listing) (store.Page, error) {
	var marker *string
	if from.Token != "" {
		marker = &from.Token
	}
	var page store.Page
	var items []*container.BlobItem
	if from.Delimiter == "" {
		pager := b.container.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Prefix: &from.Prefix, Marker: marker})
		out, err := pager.NextPage(ctx)
		if err != nil {
			return page, refusal(err)
		}
		items, page.Next = out.Segment.BlobItems, value(out.NextMarker)
	} else {
		pager := b.container.NewListBlobsHierarchyPager(from.Delimiter, &container.ListBlobsHierarchyOptions{Prefix: &from.Prefix, Marker: marker})
		out, err := pager.NextPage(ctx)
		if err != nil {
			return page, refusal(err)
		}
		items, page.Next = out.Segment.BlobItems, value(out.NextMarker)
		for _, p := range out.Segment.BlobPrefixes {
			page.Objects = append(page.Objects, store.Object{Key: value(p.Name), IsPrefix: true})
		}
	}
	for _, o := range items {
		page.Objects = append(page.Objects, store.Object{Key: value(o.Name), Attributes: store.Attributes{Size: value(o.Properties.ContentLength), Stored: value(o.Properties.LastModified)}})
	}
	store.SortObjects(page.Objects)
	return page, nil
}

func (b *bucket) Close() error { return nil }

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// refusal turns an error of the library into one of a bucket.
func refusal(err error) error {
	var own *store.Error
	var answer *azcore.ResponseError
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.As(err, &answer):
		return store.Refusal(answer.StatusCode, answer.ErrorCode)
	}
	return err
}
